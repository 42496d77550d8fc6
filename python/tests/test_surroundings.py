"""What stands around a release: steps of a pipeline that saw the rows, packages that are not installed, a bar for a long draw."""

import math
import sys
import threading
import warnings

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.feature_selection import VarianceThreshold
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, Normalizer, StandardScaler

import eigenveil
from eigenveil import GDP, EigenveilError, Guarantee, MaskedData, PrivacyWarning, PrivateCovariance, PrivatePCA, plan_low_rank, plan_pca

PCA_2 = dict(n_components=2, mu=1, row_norm=3)


def _private(**parameters):
    return PrivatePCA(**{**PCA_2, **parameters})


@pytest.mark.parametrize(
    "before",
    [
        [StandardScaler()],
        [FunctionTransformer(), MinMaxScaler()],
        [make_pipeline(Normalizer(), StandardScaler())],
        [ColumnTransformer([("few", StandardScaler(), [0, 1])], remainder="passthrough")],
        [FeatureUnion([("all", "passthrough"), ("few", PCA(2))])],
        [VarianceThreshold()],
    ],
    ids=lambda steps: type(steps[-1]).__name__,
)
def test_a_step_that_learned_from_the_rows_voids_the_guarantee(rows, before):
    pipeline = make_pipeline(*before, _private())
    with pytest.warns(PrivacyWarning, match="was fitted on the private rows before PrivatePCA"):
        pipeline.fit(rows)
    guarantee = pipeline[-1].guarantee_
    assert guarantee.basis == "not-private" and guarantee.would_be == "proved"
    assert guarantee.epsilon(1e-6) == math.inf and "NOT PRIVATE" in str(guarantee)
    assert type(before[-1]).__name__ in guarantee.assumptions[-1] and guarantee.compose(Guarantee(GDP(0.1), "add-remove")).basis == "not-private"


def test_where_the_estimator_stands_does_not_matter(rows, tmp_path):
    labels = (rows[:, 0] > 5).astype(int)
    inside = make_pipeline(StandardScaler(), _private(), LogisticRegression())
    cached = make_pipeline(StandardScaler(), _private(), LogisticRegression(), memory=str(tmp_path))
    nested = make_pipeline(StandardScaler(), make_pipeline(Normalizer(), _private()))
    for pipeline in (inside, cached, nested):
        with pytest.warns(PrivacyWarning, match="StandardScaler was fitted"):
            pipeline.fit(rows, labels)
    assert inside[1].guarantee_.basis == cached[1].guarantee_.basis == nested[-1][-1].guarantee_.basis == "not-private"


@pytest.mark.parametrize(
    "before",
    [
        [FunctionTransformer(np.arcsinh)],
        [Normalizer()],
        ["passthrough"],
        [FrozenEstimator(StandardScaler().fit(np.random.default_rng(0).uniform(0, 10, size=(50, 5))))],
        [ColumnTransformer([("few", Normalizer(), [0, 1])], remainder="passthrough")],
        [PrivatePCA(3, mu=1, row_norm=3)],
    ],
    ids=lambda steps: type(steps[-1]).__name__,
)
def test_a_step_that_learned_nothing_does_not(rows, before):
    with warnings.catch_warnings():
        warnings.simplefilter("error", PrivacyWarning)
        pipeline = make_pipeline(*before, _private()).fit(rows)
    assert pipeline[-1].guarantee_.basis == "proved"


def test_what_comes_after_does_not_matter(rows):
    with warnings.catch_warnings():
        warnings.simplefilter("error", PrivacyWarning)
        pipeline = make_pipeline(_private(), StandardScaler()).fit(rows)
    assert pipeline[0].guarantee_.basis == "proved"


def test_no_file_claims_a_guarantee_that_is_void(rows, tmp_path):
    with pytest.warns(PrivacyWarning):
        masked = make_pipeline(StandardScaler(), MaskedData(epsilon=5, delta=1e-3, row_norm=4)).fit(rows)[-1]
    with pytest.raises(EigenveilError, match="would claim a guarantee"):
        masked.write(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_missing_packages_are_named(rows, monkeypatch):
    for name in ("tqdm", "tqdm.auto", "dp_accounting"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(EigenveilError, match=r"progress=True needs the package tqdm: pip install tqdm, or pip install 'eigenveil\[progress\]'"):
        PrivateCovariance(mu=1, bounds=(0, 10), progress=True).fit(rows)
    with pytest.raises(EigenveilError, match=r"pip install 'eigenveil\[accounting\]'"):
        eigenveil.to_dp_accounting(Guarantee(GDP(1.0)))


def test_a_long_draw_has_a_time_and_a_bar(monkeypatch):
    long = plan_pca(20000, 400, n_components=10, epsilon=1, bounds=(0, 1), method="orbit")
    assert long.draw_seconds > 10 and plan_low_rank(20000, 400, n_components=10, epsilon=1, bounds=(0, 1), method="orbit").draw_seconds == long.draw_seconds
    assert plan_pca(20000, 20, n_components=2, epsilon=1, bounds=(0, 1), method="orbit").draw_seconds < 1
    assert "draw_seconds" not in plan_pca(20000, 400, n_components=10, epsilon=1, delta=1e-6, bounds=(0, 1)).facts
    from eigenveil import _progress

    moved, by_itself = [], threading.Event()

    class Bar:
        n = 0.0

        def update(self, share):
            self.n += share
            moved.append(self.n)
            by_itself.set()

        def close(self):
            moved.append("closed")

    monkeypatch.setattr(_progress, "_bar", lambda title: Bar())
    with _progress.drawing(True, "PrivatePCA", 1000.0):
        assert by_itself.wait(60)
    assert 0 < moved[0] < 0.99 and moved[-2:] == [1.0, "closed"]
    moved.clear()
    for wanted, seconds in ((False, 1000.0), (True, None)):
        with _progress.drawing(wanted, "PrivatePCA", seconds):
            pass
    assert moved == []
