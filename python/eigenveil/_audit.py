"""The adversary in the box."""

from __future__ import annotations

from . import _core
from ._budget import make_budget
from ._errors import EigenveilError, whole


def audit(
    mechanism, *, epsilon=None, delta=None, rho=None, mu=None, neighbours=None, table="unit-norm", group_size=1, rows=12, dimension=2,
    private_mean=False, runs=None, mutants=False, variance_share=0.5, seed=None,
):
    """Attack a mechanism on its worst pairs of neighbouring tables and measure how much it gives away.

    The attacks are those of ``eigenveil audit``. What is left out is the default of the mechanism: a budget at which attacks show most for their
    runs, and the relation of its first guarantee.

    Parameters
    ----------
    mechanism : str
        One of "gauss", "wishart", "laplace", "exponential", "orbit", "exponential-mu", "orbit-mu", "lowrank-mu", "lowrank", "sharp", "spiked", "spiked-robust", "oja", "mask", "mask-gauss", "subspace", "people", "stages", "histogram".
        "exponential" and "orbit" are attacked at pure ``epsilon``, ``rho`` or ``mu``, "lowrank" at pure ``epsilon`` and "lowrank-mu" at ``rho`` or
        ``mu``; "mask", "spiked", "spiked-robust", "oja" and "subspace" at
        ``epsilon`` with ``delta`` (a large delta lets an attack see what is rare); :func:`audit_sharp` measures "sharp" at other sizes.
    epsilon, delta, rho, mu : float, optional
        The budget the mechanism claims; at most one.
    neighbours
        As in :class:`PrivatePCA`.
    table : {"unit-norm", "row-norm", "ranges"}, default="unit-norm"
        How rows are bounded: norm 1, norm 3, or ranges of ten units; longer rows are given than the last two allow.
    group_size : int, default=1
        Rows that change together.
    rows, dimension : int
        Of the attacked pair; ``rows`` is for "mask", ``dimension`` for "gauss", "wishart", "laplace" and "mask".
    private_mean : bool, default=False
        Attack the release with a private mean ("gauss", "wishart", "laplace").
    runs : int, optional
        On each of the two tables; by default as many as refute every mutant within reach.
    mutants : bool, default=False
        Attack broken versions too (``is_mutant``): with enough runs every one is refuted; ``verdict`` says when more are needed.
    variance_share : float, default=0.5
        Of the budget; "exponential" and "orbit".
    seed : int, optional

    Returns
    -------
    list of AuditResult
        ``lower_bound`` is right with probability 99.9% and must not exceed ``claimed`` unless ``is_mutant`` (or not ``covered``: "spiked" is also
        attacked on a pair that its guarantee does not speak of).

    Examples
    --------
    >>> from eigenveil import audit
    >>> result = audit("gauss", mu=1, runs=20000, seed=1)[0]
    >>> result.refuted, result.lower_bound < result.claimed
    (False, True)
    """
    given = any(value is not None for value in (epsilon, delta, rho, mu))
    return _core.audit(
        str(mechanism), make_budget(epsilon, delta, rho, mu) if given else None, neighbours, str(table), whole(group_size, "group_size", 1, 1000),
        whole(dimension, "dimension", 1, 50), whole(rows, "rows", 3, 10_000), bool(private_mean), float(variance_share),
        None if runs is None else whole(runs, "runs", 1000, 2**53), bool(mutants), seed,
    )


def audit_sharp(spectrum, rows, n_components=1, *, mu=None, beta=None, draws=30_000, type_one=(0.05, 0.1, 0.2, 0.3, 0.4, 0.5), seed=None):
    """The asymptotic trade-off curve of method "sharp" against exact draws at this size.

    Computed from the spectrum given: for your eyes only when that is the true one.

    Parameters
    ----------
    spectrum : array of shape (p,)
        Eigenvalues of the covariance of rows with squared norm at most p.
    rows : int
    n_components : int, default=1
    mu, beta : float
        Exactly one: the target that calibrates the noise level, or the level itself.
    draws : int, default=30000
        On each of the two tables.
    type_one : sequence of float
        Type I errors at which the curve is measured.
    seed : int, optional

    Returns
    -------
    list of (type_one, type_two, low, high, predicted)
        Measured type II errors with bands that hold together with probability 99.9%, and what theory predicts.

    Examples
    --------
    >>> from eigenveil import audit_sharp
    >>> points = audit_sharp([8.0] + [1.0] * 19, 300, beta=2.0, draws=500, seed=1)
    >>> len(points), all(low <= two <= high for _, two, low, high, _ in points)
    (6, True)
    """
    import numpy as np

    spectrum = np.sort(np.asarray(spectrum, float).ravel())[::-1].copy()
    if (mu is None) == (beta is None):
        raise EigenveilError("give exactly one of mu=M and beta=B")
    if beta is None:
        beta, smallest = _core.sharp_level(spectrum, float(rows), int(n_components), float(mu))
        if beta is None:
            raise EigenveilError(f"mu = {mu} cannot be reached: the plateau of this spectrum is at mu = {smallest:.4g}")
    levels = [float(level) for level in type_one]
    return _core.audit_sharp(spectrum, float(rows), int(n_components), float(beta), levels, int(draws), 1e-3 / len(levels), seed)
