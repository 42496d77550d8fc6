"""The adversary in the box."""

from __future__ import annotations

from . import _core
from ._budget import is_pure, make_budget
from ._errors import EigenveilError


def audit(
    mechanism, *, epsilon=None, delta=None, rho=None, mu=None, neighbours="add-remove", dimension=2, private_mean=False, runs=100_000,
    mutants=False, variance_share=0.5, seed=None,
):
    """Attack a mechanism on its worst pair of neighbouring tables and measure how much it gives away.

    Parameters
    ----------
    mechanism : {"gauss", "laplace", "exponential"}
    epsilon, delta, rho, mu : float, optional
        The budget the mechanism claims; exactly one.
    neighbours : str, default="add-remove"
    dimension : int, default=2
        Columns of the attacked pair.
    private_mean : bool, default=False
        Attack the release with a private mean.
    runs : int, default=100000
        On each of the two tables.
    mutants : bool, default=False
        Attack broken versions too: every one must be refuted.
    variance_share : float, default=0.5
        Of the budget; "exponential" only.
    seed : int, optional

    Returns
    -------
    list of AuditResult
        The shipped mechanism first. ``lower_bound`` is right with probability 99.9% and must not exceed ``claimed``.

    Examples
    --------
    >>> from eigenveil import audit
    >>> result = audit("gauss", mu=1, runs=20000, seed=1)[0]
    >>> result.refuted, result.lower_bound < result.claimed
    (False, True)
    """
    if mechanism not in ("gauss", "laplace", "exponential"):
        raise EigenveilError("there are attacks on gauss, laplace and exponential")
    if not 2 <= int(dimension) <= 50:
        raise EigenveilError("dimension must satisfy 2 <= dimension <= 50")
    if int(runs) < 1000:
        raise EigenveilError("runs must be at least 1000")
    budget = make_budget(epsilon, delta, rho, mu)
    if mechanism == "exponential":
        if not is_pure(budget):
            raise EigenveilError("this audit attacks one row at pure epsilon; give epsilon alone")
        return _core.audit_exponential(budget, neighbours, float(variance_share), int(runs), bool(mutants), seed)
    return _core.audit_moment(mechanism, int(dimension), budget, neighbours, bool(private_mean), int(runs), bool(mutants), seed)
