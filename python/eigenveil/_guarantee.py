"""Guarantees: composition and export. The class itself is C++."""

from __future__ import annotations

from . import _core
from ._errors import EigenveilError


def compose(*guarantees):
    """All releases together, also adaptively chosen ones. Tighter than composing them one by one.

    Parameters
    ----------
    *guarantees : Guarantee
        Of one relation: different ones are refused, never guessed.

    Returns
    -------
    Guarantee

    Examples
    --------
    >>> from eigenveil import GDP, Guarantee, compose
    >>> print(compose(Guarantee(GDP(3.0)), Guarantee(GDP(4.0))))
    5-GDP for adding or removing one row; holds for every data set (proved)
    """
    return _core.compose_all(list(guarantees))


def compose_parallel(*guarantees, partition_is_public=False):
    """Releases on disjoint parts of one table: the largest loss.

    Parameters
    ----------
    *guarantees : Guarantee
    partition_is_public : bool, default=False
        Whether the part of a row is fixed and public; needed under every relation but add-remove.

    Returns
    -------
    Guarantee
    """
    return _core.compose_parallel(list(guarantees), partition_is_public)


def to_dp_accounting(guarantee):
    """The guarantee as an event of Google's ``dp_accounting``, where one exists.

    Gaussian DP becomes ``GaussianDpEvent(1 / mu)``, pure and approximate DP ``EpsilonDeltaDpEvent``, zCDP ``ZCDpEvent``. Pure DP does not
    become a ``LaplaceDpEvent``: not every purely private release is as private as Laplace noise.

    Parameters
    ----------
    guarantee : Guarantee

    Returns
    -------
    dp_accounting.DpEvent

    Notes
    -----
    ``dp_accounting`` states relations for the whole accountant: use ``NeighboringRelation.ADD_OR_REMOVE_ONE`` for "add-remove",
    ``REPLACE_ONE`` for "replace-one", ``REPLACE_SPECIAL`` for "zero-row".
    """
    import dp_accounting

    if guarantee.basis not in ("proved", "proved-real-arithmetic"):
        raise EigenveilError(f"an accountant adds up proved losses; this one rests on: {guarantee.basis}")
    loss = guarantee.loss
    if isinstance(loss, _core.GDP):
        return dp_accounting.GaussianDpEvent(1.0 / loss.mu)
    if isinstance(loss, _core.PureDP):
        return dp_accounting.EpsilonDeltaDpEvent(loss.epsilon, 0.0)
    if isinstance(loss, _core.ApproxDP):
        return dp_accounting.EpsilonDeltaDpEvent(loss.epsilon, loss.delta)
    if isinstance(loss, _core.ZCDP):
        return dp_accounting.ZCDpEvent(loss.rho)
    raise EigenveilError("dp_accounting has no event for a curve; convert it with epsilon(delta) first")
