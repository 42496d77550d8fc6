"""Budgets: exactly one of epsilon, (epsilon, delta), rho, mu."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real

from . import _core
from ._errors import EigenveilError


def _number(name, value):
    """A number that was meant as one: a budget that is read out of a word or a truth is spent by accident."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (Real, Decimal)):
        raise EigenveilError(f"{name} must be a number")
    try:
        return float(value)
    except OverflowError:
        raise EigenveilError(f"{name} is too large") from None


def _numbers(**given):
    return {name: _number(name, value) for name, value in given.items()}


def make_budget(epsilon=None, delta=None, rho=None, mu=None, needed=True):
    """The loss a user is willing to spend, checked; None where there is none and none is needed."""
    given = _numbers(epsilon=epsilon, delta=delta, rho=rho, mu=mu).values()
    return _core.asked_budget(*given) if needed or any(value is not None for value in given) else None


def budget_numbers(epsilon=None, delta=None, rho=None, mu=None):
    """The same as a job has it: the numbers that were given, which the engine checks."""
    given = _numbers(epsilon=epsilon, delta=delta, rho=rho, mu=mu)
    return {name: value for name, value in given.items() if value is not None} or None
