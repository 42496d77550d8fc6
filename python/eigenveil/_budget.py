"""Budgets: exactly one of epsilon, (epsilon, delta), rho, mu."""

from __future__ import annotations

from . import _core
from ._errors import EigenveilError

_MISSING = (
    "a privacy budget is missing. It decides how much one person can show in the result, so it has no default. "
    "Give exactly one of epsilon=E (pure), epsilon=E with delta=D, rho=R, or mu=M; epsilon=1, delta=1e-6 is a common start."
)


def make_budget(epsilon=None, delta=None, rho=None, mu=None, needed=True):
    """The loss a user is willing to spend, checked; None where there is none and none is needed."""
    notions = sum(value is not None for value in (epsilon, rho, mu))
    if notions == 0 and delta is None and not needed:
        return None
    if notions == 0:
        raise EigenveilError(_MISSING if delta is None else "delta needs epsilon beside it")
    if notions > 1 or (delta is not None and epsilon is None):
        raise EigenveilError("give exactly one budget: epsilon=E, epsilon=E with delta=D, rho=R, or mu=M")
    if delta is not None:
        return _core.check_budget(_core.ApproxDP(float(epsilon), float(delta)))
    if epsilon is not None:
        return _core.check_budget(_core.PureDP(float(epsilon)))
    return _core.check_budget(_core.ZCDP(float(rho)) if rho is not None else _core.GDP(float(mu)))


def budget_numbers(epsilon=None, delta=None, rho=None, mu=None, needed=True):
    """The same as a job has it: the numbers that were given, or None."""
    if make_budget(epsilon, delta, rho, mu, needed) is None:
        return None
    given = {"epsilon": epsilon, "delta": delta, "rho": rho, "mu": mu}
    return {name: float(value) for name, value in given.items() if value is not None}
