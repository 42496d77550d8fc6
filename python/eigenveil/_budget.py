"""Budgets: exactly one of epsilon, (epsilon, delta), rho, mu."""

from __future__ import annotations

from . import _core


def make_budget(epsilon=None, delta=None, rho=None, mu=None, needed=True):
    """The loss a user is willing to spend, checked; None where there is none and none is needed."""
    given = [None if value is None else float(value) for value in (epsilon, delta, rho, mu)]
    return _core.asked_budget(*given) if needed or given != [None] * 4 else None


def budget_numbers(epsilon=None, delta=None, rho=None, mu=None):
    """The same as a job has it: the numbers that were given, which the engine checks."""
    given = {"epsilon": epsilon, "delta": delta, "rho": rho, "mu": mu}
    return {name: float(value) for name, value in given.items() if value is not None} or None
