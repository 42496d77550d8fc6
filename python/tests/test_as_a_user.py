"""What a user does with the estimators and values besides fitting: searches, processes, threads, frames out, comparisons."""

import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from eigenveil import (
    GDP,
    EigenveilError,
    MaskedData,
    PrivateCovariance,
    PrivateLowRank,
    PrivatePCA,
    PrivateSubspace,
    PureDP,
    audit,
    compare_pca,
    plan_pca,
)

pytestmark = pytest.mark.filterwarnings("ignore::eigenveil.PrivacyWarning")
ESTIMATORS = [
    PrivatePCA(2, mu=1, bounds=(0, 10)),
    PrivateCovariance(mu=1, bounds=(0, 10)),
    PrivateLowRank(2, mu=1, bounds=(0, 10)),
    MaskedData(epsilon=1, delta=1e-3, bounds=(0, 10)),
    PrivateSubspace(1, epsilon=5, delta=1e-3, exact=True),
]


@pytest.fixture
def whole():
    """Whole numbers on a line, which every estimator can take."""
    return np.outer(np.arange(400) % 7, [1, 0, 1, 1, 1])


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_estimators_travel(estimator, whole, tmp_path):
    fitted = clone(estimator).fit(whole)
    joblib.dump(fitted, tmp_path / "fitted.joblib")
    for copy in (pickle.loads(pickle.dumps(fitted)), joblib.load(tmp_path / "fitted.joblib")):
        assert str(copy.guarantee_) == str(fitted.guarantee_) and copy.guarantee_ == fitted.guarantee_
    for backend in ("loky", "threading"):
        done = joblib.Parallel(2, backend=backend)(joblib.delayed(clone(estimator).fit)(whole) for _ in range(2))
        assert [one.guarantee_ == fitted.guarantee_ for one in done] == [True, True]


@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if hasattr(e, "transform")], ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_frames_in_and_out(estimator, kind, whole):
    library = pytest.importorskip(kind)
    frame = library.DataFrame({name: whole[:, j] for j, name in enumerate("abcde")})
    fitted = clone(estimator).set_output(transform=kind).fit(frame)
    out = fitted.transform(frame)
    assert isinstance(out, library.DataFrame) and list(out.columns) == list(fitted.get_feature_names_out())
    assert list(fitted.feature_names_in_) == list("abcde")


def test_processes_do_not_share_noise(whole):
    """Forked children begin with a copy of everything; two with the same noise could be subtracted."""
    with ProcessPoolExecutor(2) as pool:
        drawn = list(pool.map(PrivatePCA(1, mu=1, bounds=(0, 10)).fit, [whole] * 4))
    assert len({one.components_.tobytes() for one in drawn}) == 4


def test_threads(whole):
    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(lambda _: PrivatePCA(1, mu=1, bounds=(0, 10)).fit(whole).components_.tobytes(), range(8)))
    assert len(set(drawn)) == 8


def test_searches_and_compositions(whole):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(whole, columns=list("abcde"))
    by_name = PrivatePCA(2, mu=1, bounds={name: (0, 10) for name in "abcde"})
    found = GridSearchCV(make_pipeline(by_name), {"privatepca__n_components": [1, 2]}, cv=2, n_jobs=2).fit(frame)
    assert found.best_params_["privatepca__n_components"] in (1, 2)
    columns = ColumnTransformer([("private", PrivatePCA(1, mu=5, bounds=(0, 10)), ["a", "b"]), ("rest", "passthrough", ["c"])])
    assert list(columns.fit(frame).get_feature_names_out()) == ["private__privatepca0", "rest__c"]


def test_values_compare_and_pickle():
    plan = plan_pca(400, 5, mu=1, bounds=(0, 10))
    for value in (plan.guarantee, PureDP(1), GDP(1), plan):
        assert value != None and value == pickle.loads(pickle.dumps(value))  # noqa: E711
    assert PureDP(1) != GDP(1) and PureDP(1) != 1
    compared = compare_pca(2000, [9, 4, 1, 1], n_components=2, mu=1, row_norm=6)
    assert pickle.loads(pickle.dumps(compared)) == compared and "gauss" in str(compared)
    (found,) = audit("gauss", mu=1, runs=2000, seed=5)
    again = pickle.loads(pickle.dumps(found))
    assert repr(again) == repr(found) and (again.power, again.is_mutant, again.refuted) == (found.power, False, found.refuted)


def test_columns_is_a_list(whole):
    with pytest.raises(EigenveilError, match=r"columns=\['name'\]"):
        PrivatePCA(mu=1, bounds=(0, 10), columns="c1").fit(whole)
