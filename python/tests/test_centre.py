"""What a result is about when nothing is said: a private mean where the method releases one, and a word where it does not."""

import warnings

import numpy as np
import pytest

import eigenveil
from eigenveil import MaskedData, PrivateCovariance, PrivateLowRank, PrivatePCA, ResultWarning, compare_pca, plan_pca

SEEDED = dict(bounds=(0, 10), seed=3)


@pytest.fixture(autouse=True)
def _without_the_warning_about_seeds():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", eigenveil.PrivacyWarning)
        yield


@pytest.fixture
def off_centre(rows):
    """Means far from the middle of the range, and the most variance in the second column."""
    return 1 + rows * [0.1, 0.3, 0.1, 0.1, 0.1]


@pytest.mark.parametrize("parameters", [dict(mu=1000), dict(epsilon=1000), dict(epsilon=1000, method="laplace")], ids=["gauss", "wishart", "laplace"])
def test_the_mean_is_subtracted_where_it_can_be(off_centre, parameters):
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "method", ResultWarning)
        unsaid, private, none = (PrivateCovariance(**SEEDED, **parameters, **center).fit(off_centre) for center in ({}, {"center": "private"}, {"center": "none"}))
    np.testing.assert_array_equal(unsaid.covariance_raw_, private.covariance_raw_)
    assert hasattr(unsaid, "mean_") and not hasattr(none, "mean_")
    # About the midpoint the means count as variance: (5 - 1.5)^2 and (5 - 2.5)^2, against 10^2 0.1^2 / 12 and 10^2 0.3^2 / 12.
    assert np.trace(none.covariance_raw_) > 10 * np.trace(unsaid.covariance_raw_)
    for estimator in (PrivatePCA, PrivateLowRank):
        found = estimator(1, **SEEDED, **parameters).fit(off_centre)
        assert abs(found.components_[0]).argmax() == 1 and found.mean_ is found.center_


@pytest.mark.parametrize(
    "estimator",
    [
        PrivatePCA(1, epsilon=5, bounds=(0, 10), method="exponential"),
        PrivatePCA(2, epsilon=5, bounds=(0, 10), method="orbit"),
        PrivateLowRank(2, epsilon=5, bounds=(0, 10), method="orbit"),
        PrivatePCA(1, method="oja", mu=9, bounds=(0, 10), neighbours="zero-row"),
        PrivatePCA(1, method="spiked-robust", epsilon=5, delta=1e-3, bounds=(0, 10)),
    ],
    ids=["exponential", "orbit", "low rank", "oja", "spiked-robust"],
)
def test_a_method_without_a_mean_says_so(rows, estimator):
    with pytest.warns(ResultWarning, match="works about the public midpoint") as told:
        estimator.fit(rows)
    assert "--" not in str(told[0].message) and told[0].filename == __file__
    assert not hasattr(estimator, "mean_")
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResultWarning)
        for center in ("none", [5.0] * 5):
            estimator.set_params(center=center).fit(rows)


def test_who_needs_no_warning(rows, tmp_path):
    (tmp_path / "g.csv").write_text("a,b\n0,1\n2,1\n1,1\n")
    ranks = dict(method="sharp", mu=3, method_options={"rank_transform": True})
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResultWarning)
        by_frequency = PrivatePCA(1, epsilon=1, bounds=(0, 2), allele_frequencies=[0.4, 0.4]).fit(tmp_path / "g.csv")
        assert not hasattr(by_frequency, "mean_")
        assert not hasattr(PrivatePCA(1, mu=1, bounds=(0, 2), allele_frequencies=[0.4, 0.4]).fit(tmp_path / "g.csv"), "mean_")
        PrivatePCA(1, **ranks).fit(rows)
        masked = MaskedData(epsilon=5, delta=1e-3, bounds=(0, 10)).fit(rows)
    assert not hasattr(masked, "mean_")


def test_plans_know_it(rows):
    common = dict(n_components=2, epsilon=1, bounds=(0, 10))
    pure, approximate = plan_pca(400, 5, method="orbit", **common), plan_pca(400, 5, delta=1e-6, **common)
    assert "public midpoint" in pure.warning and "public midpoint" in str(pure)
    assert approximate.warning == "" and "warning" not in str(approximate)
    about_midpoint = plan_pca(400, 5, delta=1e-6, center="none", **common)
    assert about_midpoint.noise_sd_diagonal < approximate.noise_sd_diagonal  # the mean is paid for
    gauss = [
        next(m for m in compare_pca(4000, [2, 0.5, 0.5, 0.5, 0.5], delta=1e-6, center=c, **common).methods if m.name == "gauss").error_f2 for c in ("auto", "none")
    ]
    assert gauss[0] > gauss[1]


def test_sums_in_a_file_are_centred_too(rows, tmp_path):
    PrivateCovariance(mu=1, bounds=(0, 10)).partial_fit(rows).save_gram(tmp_path / "a.gram")
    assert PrivateCovariance(mu=1).fit(tmp_path / "a.gram").mean_.shape == (5,)
    with pytest.warns(ResultWarning):
        PrivatePCA(1, epsilon=1, method="exponential").fit(tmp_path / "a.gram")
