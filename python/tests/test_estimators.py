"""The estimators: what they learn, what they refuse, how they fit into scikit-learn."""

import pickle
import subprocess
import warnings

import joblib
import numpy as np
import pytest
from ledger import gaussian_limit, seed_for
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from eigenveil import EigenveilError, MaskedData, PrivacyWarning, PrivateCovariance, PrivateLowRank, PrivatePCA, plan_covariance, plan_pca
from rounding import assert_same_products


def test_missing_bounds_teach(rows):
    with pytest.raises(EigenveilError, match="bound on the rows is missing.*would leak.*row_norm=R"):
        PrivatePCA(epsilon=1, delta=1e-6).fit(rows)


def test_missing_budget_teaches(rows):
    with pytest.raises(EigenveilError, match="privacy budget is missing.*no default.*epsilon=1, delta=1e-6"):
        PrivatePCA(bounds=(0, 10)).fit(rows)


@pytest.mark.parametrize(
    "wrong, message",
    [
        (dict(epsilon=1, mu=1), "exactly one budget"),
        (dict(delta=1e-6), "delta needs epsilon"),
        (dict(epsilon=-1, delta=1e-6), "epsilon"),
        (dict(mu=1, method="gaus"), "did you mean gauss"),
        (dict(mu=1, n_components=6), "1 <= n_components <= 5"),
        (dict(mu=1, center="mean"), "center must be"),
        (dict(mu=1, neighbours="nobody"), "nobody"),
        (dict(mu=1, bounds={"c1": (0, 1)}), "bounds says nothing of column 'c2'"),
        (dict(mu=1, bounds=(3, 1)), "low"),
        (dict(mu=1, variance_share=0.2), "variance_share belongs to method exponential, not to gauss"),
        (dict(mu=1, missing="zero"), "missing must be"),
    ],
)
def test_refusals_say_what_to_give(rows, wrong, message):
    with pytest.raises(EigenveilError, match=message) as caught:
        PrivatePCA(**{"bounds": (0, 10), **wrong}).fit(rows)
    assert caught.value.code == "bad-request"


def test_release_attributes(rows):
    pca = PrivatePCA(3, epsilon=5, delta=1e-6, bounds=(0, 10), center="private").fit(rows)
    assert pca.components_.shape == (3, 5)
    np.testing.assert_allclose(pca.components_ @ pca.components_.T, np.eye(3), atol=1e-10)
    assert (pca.explained_variance_ >= 0).all() and pca.mean_.shape == (5,)
    assert pca.guarantee_.relation == "add-remove" and pca.guarantee_.basis == "proved" and pca.guarantee_.secure_random
    assert pca.guarantee_.epsilon(1e-6) <= 5
    assert "means are pulled towards it" in pca.missing_cells_
    assert "refused" in PrivatePCA(mu=1, bounds=(0, 10), missing="refuse").fit(rows).missing_cells_
    assert not hasattr(pca, "n_samples_") and pca.noisy_count_ != round(pca.noisy_count_) or pca.noisy_count_sd_ > 0


def test_row_count_is_published_only_where_it_is_public(rows):
    public = PrivatePCA(mu=1, bounds=(0, 10), neighbours="replace-one").fit(rows)
    assert public.n_samples_ == 400 and not hasattr(public, "noisy_count_")
    assert not hasattr(public.set_params(neighbours="add-remove").fit(rows), "n_samples_")


def test_nothing_of_the_rows_is_kept(rows):
    pca = PrivatePCA(mu=1, bounds=(0, 10), center="none").fit(rows)
    assert "_pass" not in vars(pca)
    assert not hasattr(pca, "mean_")  # was not paid for
    np.testing.assert_array_equal(pca.center_, np.full(5, 5.0))


def test_noise_is_fresh_each_time(rows):
    first, second = (PrivateCovariance(mu=1, bounds=(0, 10)).fit(rows).covariance_raw_ for _ in range(2))
    assert (first != second).all()


def test_seed_is_not_private(rows, seeded):
    pca = seeded().fit(rows)
    assert pca.guarantee_.basis == "not-private" and pca.guarantee_.would_be == "proved"
    assert "NOT PRIVATE" in str(pca.guarantee_)
    with pytest.warns(PrivacyWarning, match="NOT PRIVATE"):
        warnings.simplefilter("always")
        seeded().fit(rows)


def test_partial_fit_is_one_exact_pass(rows, seeded):
    whole = seeded(center="private").fit(rows)
    parts = seeded(center="private")
    for block in np.array_split(rows[::-1], 7):
        parts.partial_fit(block)
        assert not hasattr(parts, "components_")  # nothing is spent or learned yet
    parts.release()
    np.testing.assert_allclose(parts.components_, whole.components_, rtol=1e-10)
    with pytest.raises(EigenveilError, match="nothing to release"):
        parts.release()


def test_partial_fit_guards(rows):
    pca = PrivatePCA(mu=1, bounds=(0, 10)).partial_fit(rows)
    with pytest.raises(ValueError, match="X has 3 features, but PrivatePCA is expecting 5"):
        pca.partial_fit(rows[:, :3])
    with pytest.raises(EigenveilError, match="not released"):
        pickle.dumps(pca)
    bad = rows.copy()
    bad[3, 2] = np.inf
    with pytest.raises(EigenveilError, match="row 4, column c3"):
        pca.partial_fit(bad)
    with pytest.raises(EigenveilError, match="nothing to release"):  # half a pass must not be released
        pca.release()


def test_gram_files(rows, seeded, tmp_path):
    path = str(tmp_path / "rows.gram")
    seeded().partial_fit(rows).save_gram(path)
    from_file = seeded(bounds=None).fit(path)
    np.testing.assert_allclose(from_file.components_, seeded().fit(rows).components_, rtol=1e-10)
    with pytest.raises(EigenveilError, match="carries its columns and bound"):
        seeded().fit(path)


def test_transform_and_back(rows):
    pca = PrivatePCA(5, mu=1, bounds=(0, 10), center="private").fit(rows)
    np.testing.assert_allclose(pca.inverse_transform(pca.transform(rows)), rows, atol=1e-9)
    assert pca.score(rows) == pytest.approx(1.0)
    scaled = PrivatePCA(5, mu=1, bounds=(0, 10), standardize=True, center="none").fit(rows)
    np.testing.assert_allclose(scaled.transform(rows) @ scaled.components_, (rows - 5) / 5, atol=1e-9)
    np.testing.assert_allclose(scaled.inverse_transform(scaled.transform(rows)), rows, atol=1e-9)


def test_noise_is_as_large_as_planned(rows):
    """Entries of the released matrix about the exact one, where the number of rows is public."""
    name = "python: gauss entries"
    settings = dict(mu=1e3, bounds=(0, 10), neighbours="zero-row", center="none")
    plan = plan_covariance(400, 5, **settings)
    with pytest.warns(PrivacyWarning):
        about = PrivateCovariance(**settings, seed=seed_for(name)).fit(rows)
    half, radius = 5.0, np.sqrt(5)  # of a range; of a row in scaled units
    rounding = 2 * half**2 * radius / 2**18  # rows are rounded to the grid: x x' of cells up to 1 moves by two steps at most
    limit = half**2 * gaussian_limit(name, plan.noise_sd_diagonal, 15) + rounding
    exact = (rows - 5).T @ (rows - 5) / 400
    assert np.abs(about.covariance_raw_ - exact).max() <= limit
    assert np.abs(about.covariance_raw_ - np.cov(rows.T, bias=True)).max() > limit  # the broken twin: another centre


def test_what_follows_from_a_covariance(rows):
    """Precision, distances and likelihood are those of the released matrix, by their definitions."""
    released = PrivateCovariance(mu=5, bounds=(0, 10), center="private").fit(rows)
    values, vectors = np.linalg.eigh(released.covariance_)
    values = np.maximum(values, released.noise_floor_)
    precision = (vectors / values) @ vectors.T
    np.testing.assert_allclose(released.get_precision(), precision, rtol=1e-9, atol=1e-12)
    distances = [(row - released.center_) @ precision @ (row - released.center_) for row in rows]
    np.testing.assert_allclose(released.mahalanobis(rows), distances, rtol=1e-9)
    likelihood = -(np.mean(distances) + np.log(values).sum() + 5 * np.log(2 * np.pi)) / 2
    assert released.score(rows) == pytest.approx(likelihood)
    assert released.error_norm(np.zeros((5, 5))) == pytest.approx(np.linalg.norm(released.covariance_))


TABLES = [
    ("covariance", PrivateCovariance(mu=5, bounds=(0, 10), center="private"), ["--mu", "5", "--center", "private"]),
    ("lowrank", PrivateLowRank(2, mu=5, bounds=(0, 10)), ["--mu", "5", "-k", "2"]),
    ("lowrank", PrivateLowRank(2, epsilon=5, bounds=(0, 10)), ["--epsilon", "5", "-k", "2"]),
]


@pytest.mark.filterwarnings("ignore::eigenveil.PrivacyWarning")
@pytest.mark.parametrize("task, estimator, arguments", TABLES, ids=["covariance", "lowrank-gauss", "lowrank-orbit"])
def test_same_matrix_as_the_program(rows, program, tmp_path, task, estimator, arguments):
    np.save(tmp_path / "rows.npy", rows)
    command = [program, task, "rows.npy", *arguments, "--range", "0:10", "--seed", "3", "--out", "out"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    (path,) = (tmp_path / "out").glob(f"{task}.*csv")
    matrix = np.loadtxt(path, delimiter=",", skiprows=1, usecols=range(1, 6))
    released = clone(estimator).set_params(seed=3).fit(rows)
    np.testing.assert_allclose(released.covariance_ if task == "covariance" else released.low_rank_, matrix, rtol=1e-7, atol=1e-9)


def test_names_and_set_output(rows):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows, columns=list("abcde"))
    pca = PrivatePCA(2, mu=1, bounds={c: (0, 10) for c in "abcde"}).set_output(transform="pandas").fit(frame)
    assert list(pca.feature_names_in_) == list("abcde")
    assert list(pca.transform(frame).columns) == ["privatepca0", "privatepca1"] == list(pca.get_feature_names_out())
    with pytest.raises(ValueError, match="feature names"):
        pca.transform(frame.rename(columns={"a": "z"}))


def test_clone_pipeline_joblib_pickle(rows, seeded):
    pca = seeded()
    assert clone(pca).get_params() == pca.get_params()
    labels = (rows[:, 0] > 5).astype(int)
    pipeline = make_pipeline(FunctionTransformer(), PrivatePCA(3, mu=5, bounds=(0, 10)), LogisticRegression())
    assert 0 <= pipeline.fit(rows, labels).score(rows, labels) <= 1
    fitted = seeded().fit(rows)
    again = pickle.loads(pickle.dumps(fitted))
    assert_same_products(again.transform(rows), fitted.transform(rows), rows - fitted.center_, fitted.components_.T)
    assert str(again.guarantee_) == str(fitted.guarantee_)
    for backend in ("threading", "loky"):
        fits = joblib.Parallel(2, backend=backend)(joblib.delayed(_fit)(seed, rows) for seed in (3, 4))
        np.testing.assert_allclose(fits[0], fitted.components_, rtol=1e-10)  # same noise; LAPACK may round differently
        assert (fits[1] != fits[0]).any()


def _fit(seed, rows):
    warnings.simplefilter("ignore", PrivacyWarning)
    return PrivatePCA(n_components=2, epsilon=1, delta=1e-6, bounds=(0, 10), seed=seed).fit(rows).components_


def test_grid_search_warns_that_each_fit_spends(rows):
    search = GridSearchCV(PrivatePCA(mu=1, bounds=(0, 10)), {"n_components": [1, 2]}, cv=2)
    with pytest.warns(PrivacyWarning, match="every fit of PrivatePCA inside a search"):
        search.fit(rows)
    assert search.best_params_["n_components"] == 2


def test_same_release_as_the_program(rows, seeded, program, tmp_path):
    import subprocess

    np.save(tmp_path / "rows.npy", rows)
    command = [program, "pca", "rows.npy", "-k", "2", "--epsilon", "1", "--delta", "1e-6", "--range", "0:10", "--seed", "3", "--out", "out"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    (path,) = (tmp_path / "out").glob("loadings*.csv")
    loadings = np.loadtxt(path, delimiter=",", skiprows=1, usecols=(1, 2))
    np.testing.assert_allclose(seeded().fit(rows).components_.T, loadings, rtol=1e-10)


def test_plans_match_the_release(rows):
    plan = plan_pca(400, 5, n_components=2, epsilon=1, delta=1e-6, bounds=(0, 10), spectrum=[2, 1, 0.5, 0.5, 0.5])
    fitted = PrivatePCA(2, epsilon=1, delta=1e-6, bounds=(0, 10)).fit(rows)
    assert plan.guarantee.loss == fitted.guarantee_.loss and plan.row_norm == fitted.row_norm_
    assert 0 < plan.predicted_error_f2 <= 4 and "no data was read" in str(plan)
    assert plan_covariance(400, 5, epsilon=1, bounds=(0, 10)).guarantee.loss.epsilon == 1
    with pytest.raises(EigenveilError, match="dimension=P"):
        plan_pca(10, mu=1, row_norm=1)


def test_pure_budget_defaults(rows):
    assert PrivateCovariance(epsilon=1, bounds=(0, 10)).fit(rows).method_ == "wishart"
    assert PrivatePCA(mu=1, bounds=(0, 10)).fit(rows).method_ == "gauss"
    assert PrivatePCA(epsilon=1, bounds=(0, 10), method="laplace").fit(rows).guarantee_.loss.epsilon == 1


def test_wishart_is_the_default_of_pure_budgets(rows):
    for released in (PrivatePCA(1, epsilon=2, bounds=(0, 10)).fit(rows), PrivateLowRank(2, epsilon=2, bounds=(0, 10)).fit(rows)):
        assert released.method_ == "wishart" and released.guarantee_.loss.epsilon == 2 and released.guarantee_.basis == "proved"


def test_exponential_of_one_pure_component(rows):
    pca = PrivatePCA(epsilon=2, bounds=(0, 10), method="exponential").fit(rows)
    assert pca.method_ == "exponential" and pca.guarantee_.loss.epsilon <= 2
    assert pca.guarantee_.basis == "proved-real-arithmetic"
    assert np.linalg.norm(pca.components_) == pytest.approx(1) and not hasattr(pca, "explained_variance_ratio_")
    with pytest.raises(EigenveilError, match="releases no mean"):
        PrivatePCA(epsilon=2, bounds=(0, 10), center="private", method="exponential").fit(rows)
    assert plan_pca(400, 5, epsilon=1, bounds=(0, 10), method="exponential").exponent > 0


def test_orbit_of_several_pure_components(rows):
    pca = PrivatePCA(2, epsilon=2, bounds=(0, 10), method="orbit").fit(rows)
    assert pca.method_ == "orbit" and pca.guarantee_.loss.epsilon <= 2 and pca.guarantee_.basis == "proved-real-arithmetic"
    np.testing.assert_allclose(pca.components_ @ pca.components_.T, np.eye(2), atol=1e-6)


@pytest.mark.parametrize("budget", [dict(epsilon=1e5), dict(mu=1e4)])
def test_low_rank(rows, budget):
    released = PrivateLowRank(5, bounds=(0, 10), **budget).fit(rows)
    assert released.method_ == ("wishart" if "epsilon" in budget else "gauss")
    assert released.low_rank_.shape == (5, 5)
    lower = PrivateLowRank(1, bounds=(0, 10), **budget).fit(rows)
    assert np.linalg.matrix_rank(lower.low_rank_, tol=1e-9) == 1 and lower.transform(rows).shape == (400, 1)


def test_noise_is_marked_and_nothing_exceeds_the_bounds():
    """Noise of many times the bound: 12 columns have no positive eigenvalue once in exp(144 log(3) / 4), about 1e17, runs."""
    rows = np.random.default_rng(0).uniform(-1, 1, size=(30, 12))
    pca = PrivatePCA(3, epsilon=1e-3, delta=1e-6, bounds=(-1, 1), neighbours="replace-one", anyway=True).fit(rows)
    assert pca.explained_variance_.max() <= 12.0001 and pca.clipped_[0] and pca.below_noise_.all()
    assert np.isnan(pca.explained_variance_ratio_).all()


def test_masked_data_keep_second_moments(rows):
    assert MaskedData(epsilon=50, delta=1e-3, bounds=(0, 10)).fit(rows).method_ == "gauss"
    masked = MaskedData(epsilon=50, delta=1e-3, bounds=(0, 10), method="mask").fit(rows)
    assert masked.guarantee_.relation == "zero-row" and masked.n_samples_ == 400
    pseudo = (masked.pseudo_rows() - 5) / 5
    np.testing.assert_allclose(pseudo.T @ pseudo, masked.gram_, rtol=1e-8, atol=1e-8)
    assert masked.sigma_ > 0 and masked.covariance_.shape == (5, 5)
    with pytest.raises(EigenveilError):
        MaskedData(epsilon=1, bounds=(0, 10)).fit(rows)  # pure epsilon


def test_progress_bar(rows, capsys):
    PrivatePCA(mu=1, bounds=(0, 10), progress=True).fit(rows)
    assert "PrivatePCA" in capsys.readouterr().err
