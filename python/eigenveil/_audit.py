"""The adversary in the box."""

from __future__ import annotations

from . import _core
from ._budget import is_pure, make_budget
from ._errors import EigenveilError, whole

_MOMENT = ("gauss", "laplace")
_PURE = ("exponential", "orbit")
_PAIR = ("mask", "spiked", "spiked-robust", "oja", "subspace")


def audit(
    mechanism, *, epsilon=None, delta=None, rho=None, mu=None, neighbours=None, rows=12, dimension=2, private_mean=False, runs=None,
    mutants=False, variance_share=0.5, seed=None,
):
    """Attack a mechanism on its worst pairs of neighbouring tables and measure how much it gives away.

    Parameters
    ----------
    mechanism : {"gauss", "laplace", "exponential", "orbit", "mask", "spiked", "spiked-robust", "oja", "subspace"}
        "exponential" and "orbit" are attacked at pure ``epsilon``; "mask", "spiked", "spiked-robust", "oja" and "subspace" at ``epsilon`` with
        ``delta`` (a large delta lets an attack see what is rare). "sharp" has :func:`audit_sharp`.
    epsilon, delta, rho, mu : float, optional
        The budget the mechanism claims; exactly one.
    neighbours : str, optional
        Default "add-remove"; mask is attacked under "zero-row" and subspace under "replace-one".
    rows, dimension : int
        Of the attacked pair; ``rows`` is for "mask" only.
    private_mean : bool, default=False
        Attack the release with a private mean ("gauss", "laplace").
    runs : int, default=100000 (20000 for "subspace")
        On each of the two tables.
    mutants : bool, default=False
        Attack broken versions too (``is_mutant``): with enough runs every one is refuted; ``verdict`` says when more are needed.
    variance_share : float, default=0.5
        Of the budget; "exponential" only.
    seed : int, optional

    Returns
    -------
    list of AuditResult
        ``lower_bound`` is right with probability 99.9% and must not exceed ``claimed`` unless ``is_mutant``.

    Examples
    --------
    >>> from eigenveil import audit
    >>> result = audit("gauss", mu=1, runs=20000, seed=1)[0]
    >>> result.refuted, result.lower_bound < result.claimed
    (False, True)
    """
    if mechanism not in _MOMENT + _PURE + _PAIR:
        raise EigenveilError(f"there are attacks on {', '.join(_MOMENT + _PURE + _PAIR)}; audit_sharp measures sharp")
    if not 1 <= int(dimension) <= 50:
        raise EigenveilError("dimension must satisfy 1 <= dimension <= 50")
    if runs is None and mechanism != "subspace":  # which has a smaller default of its own
        runs = 100_000
    if runs is not None:
        runs = whole(runs, "runs", 1000, 2**53)
    budget = make_budget(epsilon, delta, rho, mu)
    how = (runs, bool(mutants), seed)
    if mechanism in _PURE and not is_pure(budget):
        raise EigenveilError("this audit attacks one row at pure epsilon; give epsilon alone")
    if mechanism in _PAIR and not isinstance(budget, _core.ApproxDP):
        raise EigenveilError("this audit needs epsilon with delta")
    relation = neighbours or "add-remove"
    if mechanism == "exponential":
        return _core.audit_exponential(budget, relation, float(variance_share), *how)
    if mechanism == "orbit":
        return _core.audit_orbit(budget.epsilon, relation, *how)
    if mechanism in ("mask", "subspace"):
        only = "zero-row" if mechanism == "mask" else "replace-one"
        if neighbours not in (None, only):
            raise EigenveilError(f"{mechanism} is attacked under '{only}'; leave out neighbours")
        return _core.audit_mask(budget, int(rows), int(dimension), *how) if mechanism == "mask" else _core.audit_subspace(budget, *how)
    if mechanism in _PAIR:
        return _core.audit_spectral(mechanism, budget, relation, *how)
    if int(dimension) < 2:
        raise EigenveilError("dimension must satisfy 2 <= dimension <= 50")
    return _core.audit_moment(mechanism, int(dimension), budget, relation, bool(private_mean), *how)


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
        sharp = _core.sharp_privacy(spectrum, float(rows), int(n_components), 1.0)
        beta = sharp.beta(float(mu))
        if beta is None:
            raise EigenveilError(f"mu = {mu} cannot be reached: the plateau of this spectrum is at mu = {sharp.mu_min:.4g}")
    levels = [float(level) for level in type_one]
    return _core.audit_sharp(spectrum, float(rows), int(n_components), float(beta), levels, int(draws), 1e-3 / len(levels), seed)
