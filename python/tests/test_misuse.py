"""What goes wrong by accident: failed saves, threads, changed parameters, fractions for whole numbers. Nothing may weaken a release."""

import copy
import decimal
import fractions
import math
import pathlib
import pickle
import threading
import traceback

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import eigenveil
from eigenveil import GDP, ApproxDP, EigenveilError, Guarantee, MaskedData, PrivacyWarning, PrivateCovariance, PrivatePCA, PrivateSubspace, PureDP, compose, plan_pca
from rounding import assert_same_products, assert_same_up_to_rounding

SECRET = "77.125x"

pytestmark = pytest.mark.filterwarnings("ignore::eigenveil.PrivacyWarning")


def _covariance(**parameters):
    return PrivateCovariance(**{"mu": 1, "bounds": (0, 10), "seed": 3, **parameters})


def _no_secret(caught):
    problem, seen = caught.value, []
    while problem is not None:
        seen.append("".join(traceback.format_exception_only(problem)))
        problem = problem.__cause__ or problem.__context__
    assert SECRET[:6] not in "".join(seen)


def test_a_ledger_of_the_shell_is_not_passed_over(monkeypatch):
    monkeypatch.setenv("EIGENVEIL_LEDGER", "survey.ledger")
    rows = np.zeros((10, 2))  # the ledger does not exist: refused, not passed over
    for estimator in (PrivatePCA(1, mu=1, row_norm=1), PrivateCovariance(mu=1, row_norm=1), MaskedData(mu=1, row_norm=1)):
        with pytest.raises(EigenveilError, match="ledger"):
            estimator.fit(rows)
    with pytest.raises(EigenveilError, match="ledger"):
        PrivatePCA(1, mu=1, row_norm=1).partial_fit(rows)


def test_failed_save_keeps_the_sums(rows, tmp_path):
    estimator = _covariance().partial_fit(rows)
    with pytest.raises(EigenveilError):
        estimator.save_gram(tmp_path / "nowhere" / "a.gram")
    with pytest.raises(EigenveilError, match="complete"):
        estimator.partial_fit(rows)
    estimator.release()
    np.testing.assert_array_equal(estimator.covariance_raw_, _covariance().fit(rows).covariance_raw_)


def test_gram_paths(rows, tmp_path):
    path = tmp_path / "a.gram"
    _covariance().partial_fit(rows).save_gram(path)
    before = path.read_bytes()
    second = _covariance().partial_fit(rows[:3])
    with pytest.raises(EigenveilError, match="exists already"):
        second.save_gram(path)
    assert path.read_bytes() == before
    second.save_gram(tmp_path / "b.gram")  # the sums are still there
    loaded = _covariance(bounds=None).fit(pathlib.Path(path))
    np.testing.assert_array_equal(loaded.covariance_raw_, _covariance().fit(rows).covariance_raw_)
    with pytest.raises(EigenveilError, match="complete"):
        _covariance(bounds=None).partial_fit(path).partial_fit(rows)


def test_a_learner_has_no_sums_to_save(tmp_path):
    rows = np.random.default_rng(0).normal(size=(20000, 1)) * np.ones((1, 3))
    estimator = PrivateSubspace(1, epsilon=5, delta=1e-3, gamma=0.01, rows=20000).partial_fit(rows)
    with pytest.raises(EigenveilError, match="keeps no sums"):
        estimator.save_gram(tmp_path / "a.gram")
    assert estimator.release().n_samples_ == 20000


def test_one_thread_at_a_time(rows):
    estimator = _covariance()
    inside, go = threading.Event(), threading.Event()
    original = estimator._read

    def slow(X, whole):
        inside.set()
        go.wait(10)
        original(X, whole)

    estimator._read = slow
    worker = threading.Thread(target=estimator.partial_fit, args=(rows,))
    worker.start()
    inside.wait(10)
    for call in (lambda: estimator.partial_fit(rows), lambda: estimator.fit(rows), estimator.release, lambda: estimator.save_gram("x.gram")):
        with pytest.raises(EigenveilError, match="in use by another thread"):
            call()
    go.set()
    worker.join()
    del estimator._read
    estimator.release()
    for twin in (clone(estimator), copy.deepcopy(estimator), pickle.loads(pickle.dumps(estimator))):
        twin.fit(rows)


def test_concurrent_releases_draw_once(rows):
    estimator = _covariance().partial_fit(rows)
    outcomes, gate = [], threading.Barrier(8)

    def release():
        gate.wait()
        try:
            estimator.release()
            outcomes.append(True)
        except EigenveilError:
            outcomes.append(False)

    threads = [threading.Thread(target=release) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert outcomes.count(True) == 1 and len(outcomes) == 8


def test_exact_line_by_default():
    rows = np.random.default_rng(1).integers(-9, 10, size=(400, 1)) @ np.array([[1, 2, 3]])
    assert not PrivateSubspace(1, epsilon=1, delta=1e-6, exact=True).fit(rows).is_null_
    with pytest.raises(EigenveilError, match="max_abs"):
        PrivateSubspace(1, epsilon=1, delta=1e-6, exact=True, max_abs=0).fit(rows)


def test_masked_cells_are_missing(rows):
    mask = np.zeros(rows.shape, bool)
    mask[::3, 1] = True
    middle = np.where(mask, 5.0, rows)
    for data in (np.ma.array(np.where(mask, 9.0, rows), mask=mask), np.ma.array(np.where(mask, 9.0, rows).astype("f4"), mask=mask)):
        expected = _covariance().partial_fit(middle.astype(data.dtype))._pass.finish()
        assert _covariance().partial_fit(data)._pass.finish() == expected
    whole = np.ma.array(np.where(mask, 9, rows.astype(int)), mask=mask)
    assert _covariance().partial_fit(whole)._pass.finish() == _covariance().partial_fit(np.where(mask, 5, rows.astype(int)))._pass.finish()
    with pytest.raises(EigenveilError, match="missing"):
        _covariance(missing="refuse").fit(whole)
    pca = PrivatePCA(2, mu=1, bounds=(0, 10)).fit(rows)
    np.testing.assert_allclose(pca.transform(np.ma.array(np.where(mask, 9.0, rows), mask=mask)), pca.transform(middle))


def test_not_private_promises_nothing():
    broken = Guarantee(GDP(0.1), basis="not-private")
    for guarantee in (broken, broken.compose(Guarantee(GDP(0.1))), compose(Guarantee(GDP(0.1)), broken)):
        assert guarantee.basis == "not-private"
        assert guarantee.epsilon(1e-6) == math.inf and guarantee.renyi(2.0) == math.inf
        assert (guarantee.delta(1.0), guarantee.power(), guarantee.trade_off(0.05)) == (1.0, 1.0, 0.0)


@pytest.mark.parametrize("loss", [GDP(-1), GDP(math.nan), PureDP(-0.5), PureDP(math.inf), ApproxDP(1, 2), ApproxDP(1, -1), ApproxDP(math.nan, 0)], ids=repr)
def test_impossible_losses(loss):
    with pytest.raises(EigenveilError, match="not negative"):
        Guarantee(loss)


def test_guarantees_are_values():
    one, same = Guarantee(GDP(1.0)), Guarantee(GDP(1.0))
    assert one == same and hash(one) == hash(same) and one == pickle.loads(pickle.dumps(one))
    assert one != Guarantee(GDP(2.0)) and one != Guarantee(PureDP(1.0)) and one != Guarantee(GDP(1.0), "replace-one") and one != 1


def test_failed_refit_keeps_the_release(rows):
    pca = PrivatePCA(2, mu=1, bounds=(0, 10)).fit(rows)
    scores = pca.transform(rows)
    bad = rows[:, :3].copy()
    bad[0, 0] = np.inf
    for call in (pca.fit, pca.partial_fit):
        with pytest.raises(EigenveilError):
            call(bad)
        assert_same_products(pca.transform(rows), scores, rows - pca.center_, pca.components_.T)
    pca.partial_fit(rows[:, :3])
    assert_same_products(pca.transform(rows), scores, rows - pca.center_, pca.components_.T)
    assert pca.release().transform(rows[:, :3]).shape == (400, 2)


def test_transform_shows_no_values(rows):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pca = PrivatePCA(1, mu=1, bounds=(0, 10)).fit(rows[:, :2])
    text = [[SECRET, 1.0], [2.0, 3.0]]
    lazy = polars.LazyFrame({"a": [SECRET], "b": ["1"]}).with_columns(polars.col("a").cast(polars.Float64))
    for data in (np.array(text, dtype=object), text, pandas.DataFrame(text), np.array([77.125, 2.0]), np.array([[77.125j, 1]]), lazy):
        for call in (pca.transform, pca.score, pca.fit):
            with pytest.raises((ValueError, TypeError)) as caught:
                call(data)
            _no_secret(caught)
    frame = polars.DataFrame(rows[:, :2])  # column by column in memory
    assert_same_products(pca.transform(frame.lazy()), pca.transform(rows[:, :2]), rows[:, :2] - pca.center_, pca.components_.T)


def test_changed_parameters_are_refused(rows):
    estimator = MaskedData(epsilon=50, delta=1e-3, bounds=(0, 10)).partial_fit(rows)
    for call in (estimator.release, lambda: estimator.partial_fit(rows)):
        with pytest.raises(EigenveilError, match="standardize was changed"):
            estimator.set_params(standardize=True)
            call()
    assert estimator.set_params(standardize=False, progress=False).release().n_samples_ == 400
    subspace = PrivateSubspace(1, epsilon=1, delta=1e-6, exact=True).partial_fit(np.ones((400, 2), int))
    with pytest.raises(EigenveilError, match="affine was changed"):
        subspace.set_params(affine=True).release()
    center = np.full(5, 4.0)
    _covariance(center=center).partial_fit(rows).set_params(center=center.copy()).release()


@pytest.mark.parametrize("wrong", [dict(group_size=2.7), dict(group_size=True), dict(grid=10.5), dict(seed=1.5), dict(seed=-1), dict(threads=1.5)])
def test_whole_numbers(wrong):
    (name,) = wrong
    with pytest.raises(EigenveilError, match=f"{name} must be a whole number"):
        _covariance(**wrong).fit("this-file-is-never-opened.csv")


def test_whole_numbers_of_plans():
    with pytest.raises(EigenveilError, match="rows must be a whole number"):
        plan_pca(10.5, 3, mu=1, row_norm=1)
    with pytest.raises(EigenveilError, match="rows must be a whole number"):
        PrivateSubspace(epsilon=1, delta=1e-6, rows=9.5).partial_fit(np.ones((9, 2)))
    with pytest.raises(EigenveilError, match="groups must be a whole number"):
        PrivateSubspace(epsilon=1, delta=1e-6, groups=9.5).fit(np.ones((9, 2)))


def test_messages_speak_python(rows):
    with pytest.raises(EigenveilError, match="^epsilon must") as caught:
        PrivatePCA(epsilon=-1, delta=1e-6, bounds=(0, 10)).fit(rows)
    assert "--" not in str(caught.value)
    with pytest.raises(EigenveilError) as caught:
        PrivatePCA(epsilon=1, method="gauss", bounds=(0, 10)).fit(rows)
    assert "add delta" in str(caught.value) and "--" not in str(caught.value)


def test_columns_that_are_no_numbers_or_share_a_name():
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    times = pandas.DataFrame({"a": [1.0, 2.0], "b": pandas.to_datetime(["2020-01-01", "2021-01-01"])})
    for frame in (times, times.assign(b=times["b"] - times["b"]), times.assign(b=[1j, 2j])):
        with pytest.raises(EigenveilError, match="column 'b' does not hold real numbers"):
            PrivatePCA(mu=1, bounds=(0, 10)).fit(frame)
    with pytest.raises(EigenveilError, match="dates or times"):
        PrivatePCA(mu=1, bounds=(0, 10)).fit(times[["b"]].to_numpy())
    double = pyarrow.Table.from_arrays([pyarrow.array([1.0]), pyarrow.array([2.0])], names=["a", "a"])
    with pytest.raises(EigenveilError, match="two columns of the name 'a'"):
        PrivatePCA(mu=1, bounds=(0, 10)).fit(double)


def test_frequencies_by_name(tmp_path):
    (tmp_path / "g.csv").write_text("a,b\n0,1\n2,1\n1,1\n")
    by_name, by_place = (
        PrivateCovariance(mu=1, bounds=(0, 2), allele_frequencies=given).partial_fit(tmp_path / "g.csv")._pass.finish()
        for given in ({"b": 0.2, "a": 0.4}, [0.4, 0.2])
    )
    assert by_name == by_place
    with pytest.raises(EigenveilError, match="allele_frequencies says nothing of column 'b'"):
        PrivateCovariance(mu=1, bounds=(0, 2), allele_frequencies={"a": 0.4}).fit(tmp_path / "g.csv")


def test_rows_of_a_stopped_batch_are_never_counted_twice(monkeypatch):
    """A signal while the bar closes: the rows are in the sums, and a second try would add them again."""
    from eigenveil import _progress

    class Bar:
        n = 0.0

        def update(self, share):
            self.n += share

        def close(self):
            if Bar.stops:
                raise KeyboardInterrupt

    rows = np.random.default_rng(0).uniform(size=(50, 3))
    monkeypatch.setattr(_progress.Progress, "__init__", lambda self, wanted, title: setattr(self, "_bar", Bar()))
    pca = PrivatePCA(1, mu=1, bounds=(0, 1), neighbours="replace-one")
    Bar.stops = False
    pca.partial_fit(rows)
    Bar.stops = True
    with pytest.raises(KeyboardInterrupt):
        pca.partial_fit(rows)
    with pytest.raises(EigenveilError, match="nothing to release"):
        pca.release()
    Bar.stops = False
    assert pca.partial_fit(rows).release().n_samples_ == 50


def test_an_interrupted_publication_leaves_the_earlier_release(monkeypatch):
    rows = np.random.default_rng(0).uniform(size=(50, 3))
    pca = PrivatePCA(1, mu=1, bounds=(0, 1)).fit(rows)
    before = dict(vars(pca))

    def stop(self, current):
        raise KeyboardInterrupt

    monkeypatch.setattr(PrivatePCA, "_set_features", stop)
    pca.partial_fit(rows)
    with pytest.raises(KeyboardInterrupt):
        pca.release()
    assert all(vars(pca)[name] is value for name, value in before.items() if name.endswith("_"))


def test_blocks_with_the_same_people_are_refused(tmp_path):
    rows = np.random.default_rng(0).uniform(size=(60, 2))
    with pytest.raises(EigenveilError, match="same rows"):
        MaskedData(epsilon=1, delta=1e-6, bounds=(0, 1)).fit(rows, blocks=[rows.copy()])
    whole, part, both = (str(tmp_path / name) for name in ("whole.gram", "part.gram", "both.gram"))
    MaskedData(epsilon=1, delta=1e-6, bounds=(0, 1)).partial_fit(rows[:30]).save_gram(part)
    MaskedData(epsilon=1, delta=1e-6, bounds=(0, 1)).partial_fit(rows[30:]).save_gram(whole)
    eigenveil.merge_grams([part, whole], both)
    with pytest.raises(EigenveilError, match="same rows"):
        MaskedData(epsilon=1, delta=1e-6).fit(both, blocks=[part])


def test_a_masked_release_with_few_rows_is_whole():
    """Estimates may be refused; the release was drawn, its budget is spent, and it is there."""
    rows = np.random.default_rng(0).uniform(size=(60, 3))
    masked = MaskedData(epsilon=1, delta=1e-6, bounds=(0, 1), intercept=True, method="mask").fit(rows)
    assert "no_estimates" in masked.details_ and not hasattr(masked, "covariance_")
    assert masked.pseudo_rows().shape == (60, 4)


def test_masks_hide_complex_cells_and_cells_of_listed_rows():
    seen = np.ma.array(np.full((40, 2), 100j), mask=True)
    pca = PrivatePCA(1, epsilon=1e6, row_norm=200, seed=1, method_options={"complex_rows": True})
    with pytest.warns(PrivacyWarning):
        hidden = pca.fit(seen).explained_variance_[0]
    with pytest.warns(PrivacyWarning):
        assert_same_up_to_rounding([hidden], [clone(pca).fit(np.zeros((40, 2), complex)).explained_variance_[0]])
    listed = [np.ma.array([100.0, 100.0], mask=True)] * 40
    plain = PrivatePCA(1, mu=1, row_norm=200, seed=1)
    with pytest.warns(PrivacyWarning):
        assert_same_up_to_rounding(plain.fit(listed).explained_variance_, clone(plain).fit(np.zeros((40, 2))).explained_variance_)


@pytest.mark.parametrize(
    "wrong, words",
    [
        (lambda: eigenveil.compose(1), "give guarantees"),
        (lambda: eigenveil.analyse_pca(PrivatePCA(1), 2), "give a fitted MaskedData"),
        (lambda: PrivatePCA(0.9, mu=1, row_norm=1).fit(np.zeros((9, 3))), "depends on the private rows"),
        (lambda: PrivatePCA(1, mu=1, row_norm=1, center=True).fit(np.zeros((9, 3))), "center='private'"),
    ],
)
def test_sentences_that_teach(wrong, words):
    with pytest.raises((EigenveilError, ValueError), match=words):
        wrong()


@pytest.mark.parametrize("estimator", [PrivatePCA, MaskedData])
@pytest.mark.parametrize("name", ["epsilon", "delta", "rho", "mu"])
@pytest.mark.parametrize("value", ["1", True, np.True_, [1], 1 + 0j, np.array([1.0]), 10**400, "abc"])
def test_a_budget_is_a_number(estimator, name, value):
    given = {"epsilon": 1, name: value} if name == "delta" else {name: value}
    with pytest.raises(EigenveilError, match=f"^{name} (must be a number|is too large)$"):
        estimator(row_norm=4, **given).fit(np.zeros((50, 4)))


@pytest.mark.parametrize("value", [1, 1.0, np.float32(1), np.int64(1), decimal.Decimal(1), fractions.Fraction(1)])
def test_numbers_of_every_kind_are_budgets(value):
    assert PrivatePCA(1, rho=value, row_norm=4).fit(np.zeros((50, 4))).guarantee_.basis == "proved"


@pytest.mark.parametrize("value", [2.0, "2", True, None])
def test_a_number_of_components_is_whole(value):
    with pytest.raises(EigenveilError, match="n_components must be a whole number"):
        PrivatePCA(value, mu=1, row_norm=4).fit(np.zeros((50, 4)))


@pytest.mark.parametrize("estimator", [PrivatePCA(2, mu=1, row_norm=4), PrivateCovariance(mu=1, row_norm=4), eigenveil.PrivateLowRank(2, mu=1, row_norm=4)])
def test_arrays_of_a_release_are_not_written_to(estimator):
    fitted = estimator.fit(np.eye(4).repeat(50, axis=0))
    for released in (fitted, copy.deepcopy(fitted), pickle.loads(pickle.dumps(fitted))):
        arrays = [value for name, value in vars(released).items() if isinstance(value, np.ndarray) and name.endswith("_")]
        assert len(arrays) > 3
        for array in arrays:
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 99


@pytest.mark.parametrize("name", ["a\nb", "x\x00y", "\u202e", "a\ud800", ""])
def test_names_that_no_file_holds_are_refused_before_anything_is_kept(name, tmp_path):
    table = pd.DataFrame(np.zeros((50, 2)), columns=pd.Index([name, "b"], dtype=object))
    ledger = eigenveil.Ledger.create(tmp_path / "l.ledger", name="survey", mu=3)
    before = ledger.spent
    for pca in (PrivatePCA(1, mu=1, row_norm=2), PrivatePCA(1, mu=1, row_norm=2, ledger=ledger)):
        with pytest.raises(EigenveilError, match="column 1 (is not one line of plain UTF-8|has no name)"):
            pca.fit(table)
        with pytest.raises(EigenveilError, match="column 1 (is not one line of plain UTF-8|has no name)"):
            pca.partial_fit(table)
    assert ledger.spent == before


def test_wrong_kinds_are_named():
    zeros = np.zeros((50, 4))
    with pytest.raises(EigenveilError, match="method_options must be a mapping"):
        PrivatePCA(2, mu=1, row_norm=4, method_options=[]).fit(zeros)
    with pytest.raises(EigenveilError, match=r"bounds is a pair \(low, high\).*a word is the path of a file"):
        PrivatePCA(2, mu=1, bounds="0:1").fit(zeros)
    with pytest.raises(TypeError, match="plan_pca.*'dimensions'; did you mean 'dimension'"):
        plan_pca(100, dimensions=4, mu=1, row_norm=1)
    with pytest.raises(EigenveilError, match="draws must be a whole number"):
        eigenveil.sample_bingham([2.0, 1.0], 1.0, draws=-1)
    with pytest.raises(EigenveilError, match="did you mean gauss"):
        eigenveil.audit("gaus", mu=1)
    with pytest.raises(EigenveilError, match="Ledger.create makes one"):
        PrivatePCA(2, mu=1, row_norm=4, ledger="nosuch.ledger").fit(zeros)
    guarantee = PrivatePCA(2, mu=1, row_norm=4).fit(zeros).guarantee_
    for size in (2.5, 10**20, "2"):
        with pytest.raises(EigenveilError, match="^size must be a whole number$"):
            guarantee.for_group(size)


def test_a_failure_after_its_charge_is_one_sentence(tmp_path):
    ledger = eigenveil.Ledger.create(tmp_path / "l.ledger", name="survey", mu=3)
    with pytest.raises(EigenveilError, match=r"\(the value is not shown\); entry \d+ is spent all the same$"):
        PrivatePCA(1, mu=1, row_norm=2, ledger=ledger).fit(np.full((50, 2), np.inf))
