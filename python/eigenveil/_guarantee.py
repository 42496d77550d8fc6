"""Guarantees: composition and export. The class itself is C++."""

from __future__ import annotations

import math
import sys
from fractions import Fraction

from . import _core
from ._errors import EigenveilError, missing_package


class StatedGuarantee(_core.Guarantee):
    """The guarantee of a release: prints what was asked for, with the loss that was proved beside it.

    A :class:`Guarantee` in everything else; what is made from it (``compose``, ``for_group``, ``to_relation``, ...) states what was proved.

    Attributes
    ----------
    asked : ApproxDP or ZCDP
        The budget that was asked for, and that ``loss`` implies.
    """

    def __str__(self):
        proved = super().__str__().split(" for ", 1)[0]
        return f"{_core.headline(self, self.asked)}; the loss proved is {proved}"

    def __repr__(self):
        return f"<Guarantee: {self}>"

    def __getstate__(self):
        return super().__getstate__(), self.asked

    def __setstate__(self, state):
        super().__setstate__(state[0])
        self.asked = state[1]


def _from_state(kind, state):
    made = kind.__new__(kind)
    made.__setstate__(state)
    return made


def guarantee_of(text):
    """A guarantee from the text that the engine keeps it as."""
    return _from_state(_core.Guarantee, text)


def stated(guarantee, asked):
    """This guarantee in the words of the budget asked for, where its loss implies that budget and is not the same notion already."""
    loss = guarantee.loss
    if guarantee.basis not in ("proved", "proved-real-arithmetic") or type(loss) is type(asked):
        return guarantee
    if isinstance(asked, _core.ApproxDP):
        implied = guarantee.epsilon(asked.delta) <= asked.epsilon
    else:  # mu-GDP is (mu^2 / 2)-zCDP, exactly
        implied = isinstance(asked, _core.ZCDP) and isinstance(loss, _core.GDP) and Fraction(loss.mu) ** 2 <= 2 * Fraction(asked.rho)
    return _from_state(StatedGuarantee, (guarantee.__getstate__(), asked)) if implied else guarantee


def compose(*guarantees):
    """All releases together, also adaptively chosen ones. Tighter than composing them one by one.

    Parameters
    ----------
    *guarantees : Guarantee, or list of Guarantee
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
    return _core.compose_all(_listed(guarantees))


def compose_parallel(*guarantees, partition_is_public=False):
    """Releases on disjoint parts of one table: the largest loss.

    Parameters
    ----------
    *guarantees : Guarantee, or list of Guarantee
    partition_is_public : bool, default=False
        Whether the part of a row is fixed and public; needed under every relation but add-remove.

    Returns
    -------
    Guarantee

    Examples
    --------
    >>> from eigenveil import Guarantee, PureDP, compose_parallel
    >>> compose_parallel(Guarantee(PureDP(1.0)), Guarantee(PureDP(0.5))).loss
    PureDP(epsilon=1.0)
    """
    return _core.compose_parallel(_listed(guarantees), partition_is_public)


def _noise_multiplier(mu):
    """1 / mu, rounded down: less noise is the safe side."""
    multiplier = min(1.0 / mu, sys.float_info.max)
    return math.nextafter(multiplier, 0.0) if Fraction(multiplier) * Fraction(mu) > 1 else multiplier


def _listed(guarantees):
    if len(guarantees) == 1 and isinstance(guarantees[0], (list, tuple)):
        guarantees = guarantees[0]
    if not guarantees or not all(isinstance(guarantee, _core.Guarantee) for guarantee in guarantees):
        raise EigenveilError("give guarantees, such as the guarantee_ of fitted estimators")
    return list(guarantees)


def to_dp_accounting(guarantee):
    """The guarantee as an event of Google's ``dp_accounting``, where one exists.

    Gaussian DP becomes ``GaussianDpEvent(1 / mu)``, zCDP ``ZCDpEvent(rho)``. Pure DP becomes the ``RandomizedResponseDpEvent`` of two buckets
    that attains it, which ``dp_accounting`` knows for "replace-one" and "zero-row"; for "add-remove" the ``ZCDpEvent`` it implies. For
    (epsilon, delta) and for curves there is no event.

    Parameters
    ----------
    guarantee : Guarantee

    Returns
    -------
    dp_accounting.DpEvent

    Notes
    -----
    ``dp_accounting`` states relations for the whole accountant: use ``NeighboringRelation.ADD_OR_REMOVE_ONE`` for "add-remove",
    ``REPLACE_ONE`` for "replace-one", ``REPLACE_SPECIAL`` for "zero-row". Its accountants differ on a Gaussian event under ``REPLACE_ONE``: the
    PLD accountant doubles the sensitivity once more, which is safe but loose; take the RDP accountant or ``compose`` there.

    Examples
    --------
    >>> from eigenveil import GDP, Guarantee, to_dp_accounting
    >>> to_dp_accounting(Guarantee(GDP(0.5)))
    GaussianDpEvent(noise_multiplier=2.0)
    """
    try:
        import dp_accounting
    except ImportError:
        raise missing_package("dp-accounting", "to_dp_accounting", "accounting") from None
    if guarantee.basis not in ("proved", "proved-real-arithmetic"):
        raise EigenveilError(f"an accountant adds up proved losses; this one rests on: {guarantee.basis}")
    loss = guarantee.loss
    if isinstance(loss, _core.GDP):
        return dp_accounting.GaussianDpEvent(_noise_multiplier(loss.mu)) if loss.mu > 0.0 else dp_accounting.NoOpDpEvent()
    if isinstance(loss, _core.ZCDP):
        return dp_accounting.ZCDpEvent(loss.rho)
    if isinstance(loss, _core.PureDP) and guarantee.relation in ("replace-one", "zero-row"):
        if loss.epsilon > 700:
            raise EigenveilError("an epsilon this large hides nothing, and dp_accounting has no number for it")
        return dp_accounting.RandomizedResponseDpEvent(math.nextafter(2.0 / (1.0 + math.exp(loss.epsilon)), 0.0), 2)
    if isinstance(loss, _core.PureDP):
        return dp_accounting.ZCDpEvent(_core.pure_zcdp(loss.epsilon))
    raise EigenveilError("dp_accounting has no event for (epsilon, delta) or for a curve; account for them with compose() here")
