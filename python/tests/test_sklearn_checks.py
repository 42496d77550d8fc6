"""scikit-learn's own checks; what cannot pass is listed with its reason."""

import warnings

import pytest
from sklearn.utils.estimator_checks import check_estimator

from eigenveil import PrivacyWarning, PrivateCovariance, PrivateLowRank, PrivatePCA

EXPECTED_FAILURES = {
    "check_estimators_empty_data_messages": "an empty table is a legal neighbour of a table with one row, so it must not be an error",
}


@pytest.mark.parametrize("estimator", [kind(mu=5, row_norm=10, seed=0) for kind in (PrivatePCA, PrivateCovariance, PrivateLowRank)], ids=lambda e: type(e).__name__)
def test_check_estimator(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        results = check_estimator(estimator, expected_failed_checks=EXPECTED_FAILURES, on_fail=None, on_skip=None)
    failed = {r["check_name"]: repr(r["exception"]) for r in results if r["status"] == "failed"}
    assert failed == {}
    assert len(results) > 30
