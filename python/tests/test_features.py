"""What is computed from released components alone: whitening, covariance, singular values, pictures. And sparse rows to transform."""

import sys
import warnings

import numpy as np
import pytest

import eigenveil
from eigenveil import EigenveilError, PrivateLowRank, PrivatePCA, ResultWarning


@pytest.fixture
def spiky():
    """Two directions that stand out, three that do not."""
    return np.random.default_rng(5).normal(size=(20_000, 5)) * [3, 2, 0.1, 0.1, 0.1]


def released(rows, k=2, estimator=PrivatePCA, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", eigenveil.PrivacyWarning)
        warnings.simplefilter("ignore", ResultWarning)
        return estimator(k, **{**dict(mu=5, row_norm=15, seed=2), **parameters}).fit(rows)


def test_whitened_scores_are_scores_over_the_root_of_the_variance(spiky):
    plain, white = released(spiky), released(spiky, whiten=True)
    assert not plain.below_noise_.any()
    scores = white.transform(spiky)
    np.testing.assert_allclose(scores, plain.transform(spiky) / np.sqrt(plain.explained_variance_), rtol=1e-12)
    np.testing.assert_allclose(white.inverse_transform(scores), plain.inverse_transform(plain.transform(spiky)), rtol=1e-9, atol=1e-9)
    assert white.score(spiky) == pytest.approx(plain.score(spiky), rel=1e-12)
    assert white.transform(spiky.astype(np.float32)).dtype == np.float32


def test_whiten_divides_noise_by_its_edge_and_says_so(spiky):
    plain, white = released(spiky, 4, mu=0.5), released(spiky, 4, mu=0.5, whiten=True)
    assert list(plain.below_noise_) == [False, False, True, True]
    with pytest.warns(ResultWarning, match="whiten: components 3, 4 cannot be told from noise"):
        scores = white.transform(spiky)
    spread = np.sqrt([*plain.explained_variance_[:2], *plain.noise_edge_[2:]])
    np.testing.assert_allclose(scores, plain.transform(spiky) / spread, rtol=1e-12)


def test_whiten_is_refused_before_rows_are_read_where_there_is_no_variance(spiky):
    pca = PrivatePCA(method="oja", mu=1, row_norm=15, neighbours="replace-one", whiten=True)
    with pytest.raises(EigenveilError, match="whiten needs the variances of the components, and method oja releases none"):
        pca.fit(spiky)
    with pytest.raises(EigenveilError, match="whiten must be True or False"):
        PrivatePCA(mu=1, row_norm=15, whiten="yes").fit(spiky)
    oja = released(spiky, 1, method="oja", neighbours="replace-one")
    assert not hasattr(oja, "singular_values_")
    with pytest.raises(EigenveilError, match="get_covariance needs the variances.*oja"):
        oja.get_covariance()
    assert oja.set_params(whiten=True) is oja
    with pytest.raises(EigenveilError, match="whiten needs the variances"):
        oja.transform(spiky)


def test_covariance_has_the_released_eigenvalues_and_total(spiky):
    for k, mu in ((2, 5), (4, 0.5), (5, 5)):
        pca = released(spiky, k, mu=mu)
        matrix, told = pca.get_covariance(), ~pca.below_noise_
        expected = np.full(5, pca.noise_variance_)
        expected[: told.sum()] = pca.explained_variance_[told]
        np.testing.assert_allclose(np.linalg.eigvalsh(matrix), np.sort(expected), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(matrix @ pca.components_[0], pca.explained_variance_[0] * pca.components_[0], rtol=1e-9, atol=1e-9)
        total = pca.explained_variance_[0] / pca.explained_variance_ratio_[0]
        if np.isfinite(total) and pca.noise_variance_ > 0:
            assert np.trace(matrix) == pytest.approx(total, rel=1e-9)


def test_covariance_without_a_released_total_has_the_rank_of_the_components(spiky):
    pca = released(spiky, method="orbit", mu=None, epsilon=20)
    assert not hasattr(pca, "noise_variance_")
    assert not hasattr(pca, "below_noise_") and not hasattr(pca, "noise_edge_")  # of what was left out it knows nothing
    above = pca.explained_variance_ >= pca.noise_floor_
    told = pca.components_[above]
    np.testing.assert_allclose(pca.get_covariance(), (told.T * pca.explained_variance_[above]) @ told, rtol=1e-12, atol=1e-12)
    low = released(spiky, estimator=PrivateLowRank)
    np.testing.assert_array_equal(low.get_covariance(), low.low_rank_)


def test_covariance_of_complex_rows_is_hermitian():
    rng = np.random.default_rng(3)
    z = (rng.normal(size=(5_000, 3)) + 1j * rng.normal(size=(5_000, 3))) * [2, 1, 0.1]
    pca = released(z, 1, mu=None, epsilon=50, row_norm=8, method="orbit", method_options={"complex_rows": True})
    matrix = pca.get_covariance()
    u = pca.components_[0]
    np.testing.assert_allclose(matrix, matrix.conj().T)
    if pca.explained_variance_[0] >= pca.noise_floor_:
        np.testing.assert_allclose(matrix @ u, pca.explained_variance_[0] * u, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("neighbours, count", [("replace-one", "n_samples_"), ("add-remove", "noisy_count_")])
def test_singular_values_use_the_released_number_of_rows(spiky, neighbours, count):
    pca = released(spiky, neighbours=neighbours)
    np.testing.assert_allclose(pca.singular_values_, np.sqrt(pca.explained_variance_ * getattr(pca, count)), rtol=1e-12)


def test_with_almost_no_noise_it_is_what_scikit_learn_says(spiky):
    from sklearn.decomposition import PCA

    exact = PCA(2).fit(spiky)
    pca = released(spiky, mu=1e6, neighbours="replace-one", row_norm=40)
    np.testing.assert_allclose(pca.singular_values_, exact.singular_values_, rtol=1e-3)
    np.testing.assert_allclose(pca.noise_variance_, exact.noise_variance_, rtol=1e-2)
    np.testing.assert_allclose(pca.get_covariance(), exact.get_covariance(), atol=1e-2)


def test_sparse_rows_are_transformed_block_by_block(spiky, monkeypatch):
    sparse = pytest.importorskip("scipy.sparse")
    rows = np.where(np.abs(spiky) > 1, spiky, 0.0)[:500]
    monkeypatch.setattr("eigenveil._rows._BLOCK_BYTES", 8 * 5 * 64)
    for k, estimator in ((2, PrivatePCA), (1, PrivateLowRank)):
        dense, thin = released(rows, k, estimator), released(sparse.coo_array(rows), k, estimator)
        np.testing.assert_allclose(thin.components_, dense.components_, rtol=1e-12)
        np.testing.assert_allclose(thin.transform(sparse.csc_matrix(rows)), dense.transform(rows), rtol=1e-9, atol=1e-12)
        assert thin.score(sparse.csr_array(rows)) == pytest.approx(dense.score(rows), rel=1e-12)
    with pytest.raises(ValueError, match="X has 4 features"):
        thin.transform(sparse.csr_array(rows[:, :4]))


def test_scree_shows_the_edge_and_noise_faintly(spiky):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    pca = released(spiky, 4, mu=0.5)
    _, ax = pyplot.subplots()
    assert pca.plot_scree(ax) is ax
    bars = ax.patches
    np.testing.assert_allclose([bar.get_height() for bar in bars], pca.explained_variance_)
    assert [bar.get_alpha() < 1 for bar in bars] == list(pca.below_noise_)
    (edges,) = ax.collections
    np.testing.assert_allclose([segment[0][1] for segment in edges.get_segments()], pca.noise_edge_)
    ax.figure.draw_without_rendering()
    assert ax.get_legend().get_window_extent().y0 >= ax.get_window_extent().y1  # covers no bar and no edge
    assert pca.plot_scree() is not ax  # a figure of its own
    pyplot.close("all")


def test_loadings_picture(spiky):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    pd = pytest.importorskip("pandas")
    from matplotlib import pyplot

    pca = released(pd.DataFrame(spiky, columns=list("abcde")), 4, mu=0.5)
    ax = pca.plot_loadings()
    assert len(ax.patches) == 20 and [label.get_text() for label in ax.get_xticklabels()] == list("abcde")
    assert [text.get_text() for text in ax.get_legend().get_texts()][1:3] == ["PC2", "PC3 (noise could show this)"]
    ax = pca.plot_loadings(0, largest=2)
    shown = np.sort(np.argsort(-np.abs(pca.components_[0]))[:2])
    np.testing.assert_allclose([bar.get_height() for bar in ax.patches], pca.components_[0][shown])
    for bad in (4, [], [0.5], True):
        with pytest.raises(EigenveilError, match="components must be positions from 0 to 3"):
            pca.plot_loadings(bad)
    oja = released(spiky, 1, method="oja", neighbours="replace-one")
    assert len(oja.plot_loadings().patches) == 5
    with pytest.raises(EigenveilError, match="plot_scree needs the variances"):
        oja.plot_scree()
    pyplot.close("all")


def test_missing_matplotlib_is_named(spiky, monkeypatch):
    pca = released(spiky)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for draw in (pca.plot_scree, pca.plot_loadings):
        with pytest.raises(EigenveilError, match=rf"{draw.__name__} needs the package matplotlib: .*'eigenveil\[plots\]'"):
            draw()
