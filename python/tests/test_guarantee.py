"""Guarantees as values."""

import copy
import json
import math
import pickle
from xml.etree import ElementTree

import pandas
import pytest
from scipy.stats import norm

from eigenveil import GDP, ZCDP, ApproxDP, EigenveilError, Guarantee, PrivatePCA, PureDP, compose, compose_parallel, read_release, to_dp_accounting
from eigenveil._guarantee import guarantee_of, stated

PURE = Guarantee(PureDP(1.0))
GAUSS = Guarantee(GDP(1.0))


def test_fields():
    assert (GAUSS.relation, GAUSS.basis, GAUSS.loss.mu, GAUSS.group_size) == ("add-remove", "proved", 1.0, 1)
    assert Guarantee(PureDP(2.0), "replace-one", "asymptotic", ["n grows"]).assumptions == ["n grows"]
    with pytest.raises(EigenveilError):
        Guarantee(PureDP(1.0), relation="nobody")


def test_conversions_are_on_the_safe_side_of_closed_forms():
    assert PURE.epsilon(0.0) == 1.0
    exact = norm.cdf(-1 + 0.5) - math.e * norm.cdf(-1 - 0.5)  # delta of 1-GDP at epsilon 1
    assert exact <= GAUSS.delta(1.0) <= exact * (1 + 1e-9)
    assert GAUSS.epsilon(GAUSS.delta(1.0)) == pytest.approx(1.0, rel=1e-6)
    assert GAUSS.trade_off(0.05) == pytest.approx(norm.cdf(norm.ppf(0.95) - 1), rel=1e-9)
    assert GAUSS.power(0.05) == pytest.approx(1 - GAUSS.trade_off(0.05), rel=1e-12)
    assert PURE.power() == pytest.approx(0.05 * math.e, rel=1e-9)
    assert GAUSS.renyi(2.0) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("call", [lambda: GAUSS.epsilon(2), lambda: GAUSS.trade_off(-1), lambda: GAUSS.power(1.5)])
def test_arguments_are_checked(call):
    with pytest.raises(EigenveilError, match="between 0 and 1"):
        call()


def test_composition():
    assert compose(PURE, PURE).loss == PureDP(2.0)
    assert compose(*[GAUSS] * 4).loss.mu == pytest.approx(2.0)
    assert GAUSS.compose(GAUSS).loss.mu == pytest.approx(math.sqrt(2))
    assert compose(PURE, GAUSS).epsilon(1e-6) < 1 + GAUSS.epsilon(1e-6)
    assert compose_parallel(PURE, PURE).loss == PureDP(1.0)
    other = Guarantee(PureDP(1.0), "replace-one")
    with pytest.raises(EigenveilError):
        compose(PURE, other)
    with pytest.raises(EigenveilError):
        compose_parallel(other, other)
    assert compose_parallel(other, other, partition_is_public=True).loss == PureDP(1.0)
    assert compose(GAUSS, Guarantee(GDP(1.0), basis="asymptotic")).basis == "asymptotic"


def test_groups_and_relations():
    assert PURE.for_group(3).loss == PureDP(3.0) and PURE.for_group(3).group_size == 3
    assert GAUSS.to_relation("replace-one").loss.mu == pytest.approx(2.0)
    with pytest.raises(EigenveilError):
        Guarantee(PureDP(1.0), "replace-one").to_relation("add-remove")


def test_words_and_html():
    assert str(Guarantee(ApproxDP(1, 1e-6))) == "(1, 1e-06)-DP for adding or removing one row; holds for every data set (proved)"
    assert "at most" in GAUSS.detection()
    page = Guarantee(ZCDP(0.5), assumptions=["<script>"])._repr_html_()
    assert "<script>" not in page and "<svg" in page
    svg = page[page.index("<svg") : page.rindex("</svg>") + 6]
    assert ElementTree.fromstring(svg).tag.endswith("svg")
    assert "NOT PRIVATE" in Guarantee(GDP(1.0), basis="not-private")._repr_html_()


@pytest.mark.parametrize("basis", ["asymptotic", "model-probability"])
def test_detection_carries_its_basis(basis):
    some = Guarantee(GDP(1.0), basis=basis)
    assert GAUSS.detection() in some.detection() and len(some.detection()) > len(GAUSS.detection()) + 60
    assert (some.power(), some.trade_off(0.05)) == (1.0, 0.0)
    assert (some.power(conditional=True), some.trade_off(0.05, conditional=True)) == (GAUSS.power(), GAUSS.trade_off(0.05))
    assert ">conditional power at 5%: at most" in some._repr_html_()


@pytest.mark.parametrize("guarantee", [PURE, GAUSS, Guarantee(ZCDP(0.5)), Guarantee(ApproxDP(1, 1e-6)), compose(PURE, GAUSS)], ids=str)
def test_pickle(guarantee):
    again = pickle.loads(pickle.dumps(guarantee))
    assert str(again) == str(guarantee) and again.delta(0.5) == guarantee.delta(0.5)


def test_dp_accounting():
    dp_accounting = pytest.importorskip("dp_accounting")
    from dp_accounting.pld import PLDAccountant

    relations = dp_accounting.NeighboringRelation
    pairs = {"add-remove": relations.ADD_OR_REMOVE_ONE, "replace-one": relations.REPLACE_ONE, "zero-row": relations.REPLACE_SPECIAL}
    for relation, theirs in pairs.items():
        mine = Guarantee(GDP(1.0), relation)
        accountant = PLDAccountant(theirs)
        accountant.compose(to_dp_accounting(mine))
        # Under replace-one their PLD accountant doubles the sensitivity (their RDP accountant does not): never below ours.
        if relation == "replace-one":
            assert accountant.get_epsilon(1e-6) > mine.epsilon(1e-6)
        else:
            assert accountant.get_epsilon(1e-6) == pytest.approx(mine.epsilon(1e-6), rel=1e-3), relation
    accountant = PLDAccountant(relations.REPLACE_ONE)
    accountant.compose(to_dp_accounting(Guarantee(PureDP(1.0), "replace-one")))
    assert accountant.get_epsilon(0.0) == pytest.approx(1.0, rel=1e-3)
    assert to_dp_accounting(PURE).rho >= math.tanh(0.5)
    assert to_dp_accounting(Guarantee(ZCDP(0.25))).rho == 0.25
    for loss in (Guarantee(ApproxDP(1.0, 1e-6)), compose(PURE, Guarantee(ApproxDP(1.0, 1e-6)))):
        with pytest.raises(EigenveilError, match="no event"):
            to_dp_accounting(loss)
    with pytest.raises(EigenveilError, match="rests on"):
        to_dp_accounting(Guarantee(GDP(1.0), basis="asymptotic"))


def test_a_release_prints_what_was_asked_and_what_was_proved(rows):
    asked = "(1, 1e-06)-DP for adding or removing one row; holds for every data set (proved)"
    fitted = PrivatePCA(2, epsilon=1, delta=1e-6, bounds=(0, 10)).fit(rows)
    guarantee = fitted.guarantee_
    assert str(guarantee) == f"{asked}; the loss proved is 0.236705-GDP" and repr(guarantee) == f"<Guarantee: {guarantee}>"
    assert isinstance(guarantee.loss, GDP) and guarantee.epsilon(1e-6) <= 1
    for again in (pickle.loads(pickle.dumps(guarantee)), copy.deepcopy(guarantee), pickle.loads(pickle.dumps(fitted)).guarantee_):
        assert again == guarantee and hash(again) == hash(guarantee) and str(again) == str(guarantee)
    plain = Guarantee(guarantee.loss, guarantee.relation, guarantee.basis, guarantee.assumptions)
    assert plain.loss == guarantee.loss and compose(guarantee, guarantee).loss == compose(plain, plain).loss
    assert str(compose(guarantee)) == str(plain)  # of what is made from it only the proof is stated
    assert str(PrivatePCA(2, rho=0.5, bounds=(0, 10)).fit(rows).guarantee_).startswith("0.5-zCDP")
    assert str(PrivatePCA(2, mu=0.5, bounds=(0, 10)).fit(rows).guarantee_).endswith("(proved)")


def test_nothing_is_stated_that_the_proof_does_not_imply():
    for budget in (ApproxDP(0.9, 1e-6), ApproxDP(4.0, 1e-6), ZCDP(0.49), PureDP(100.0)):
        assert stated(GAUSS, budget) is GAUSS
    assert str(stated(GAUSS, ZCDP(0.5))).startswith("0.5-zCDP") and str(stated(GAUSS, ApproxDP(5.0, 1e-6))).startswith("(5, 1e-06)-DP")
    model = Guarantee(GDP(1.0), basis="model-probability")
    assert stated(model, ApproxDP(5.0, 1e-6)) is model


def test_no_field_is_lost_on_the_way():
    """Of every field: it is compared, and it survives copies, pickles and the words of a request."""
    state = json.loads(GAUSS.__getstate__())
    other = {
        "relation": "replace-one", "loss": {"kind": "gdp", "mu": 2.0}, "basis": "asymptotic", "would_be": "asymptotic", "assumptions": ["n grows"],
        "secure_random": not state["secure_random"], "group_size": 3, "person": "who",
    }  # fmt: skip
    assert list(other) == list(state)
    for name, value in other.items():
        changed = guarantee_of(json.dumps({**state, name: value}))
        assert changed != GAUSS
        for again in (copy.copy(changed), copy.deepcopy(changed), pickle.loads(pickle.dumps(changed)), stated(changed, ZCDP(8.0))):
            kept = json.loads(again.__getstate__() if type(again) is Guarantee else again.__getstate__()[0])
            assert again == changed and {**kept["loss"], "kind": "gdp"} == {**state, name: value}["loss"] and {**kept, "loss": 0} == {**state, name: value, "loss": 0}
    for wrong in ("", "{}", "[", json.dumps({**state, "group_size": None}), json.dumps({**state, "basis": "hearsay"})):
        with pytest.raises(EigenveilError):
            guarantee_of(wrong)


def test_a_person_is_not_a_row(tmp_path):
    """A person's guarantee says so wherever it goes, and does not add up with one of rows."""
    frame = pandas.DataFrame({"a": range(40), "b": range(40, 0, -1), "who": [n // 2 for n in range(40)]})
    fitted = PrivatePCA(1, epsilon=1, delta=1e-6, bounds=(0, 40), person="who", rows_per_person=1).fit(frame)
    for estimator in (fitted, pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)):
        guarantee = estimator.guarantee_
        assert guarantee.person == "who" and "one person with all rows of the same who" in str(guarantee)
    estimator.write_release(tmp_path / "out")
    written = json.loads((tmp_path / "out" / "release.json").read_text())["guarantee"]
    assert written["person"] == "who" and "person" in written["statement"]
    assert read_release(tmp_path / "out").guarantee.person == "who"
    assert compose(guarantee, guarantee).person == guarantee.to_relation("replace-one").person == "who"
    for refused in (lambda: compose(guarantee, GAUSS), lambda: guarantee.compose(GAUSS), lambda: guarantee.for_group(2)):
        with pytest.raises(EigenveilError, match="person with all their rows"):
            refused()
