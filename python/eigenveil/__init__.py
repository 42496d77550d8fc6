"""Differentially private principal components and covariances, with the scikit-learn shape.

>>> import numpy as np
>>> import eigenveil
>>> rows = np.random.default_rng(0).normal(size=(10000, 5))
>>> pca = eigenveil.PrivatePCA(n_components=2, epsilon=1, delta=1e-6, row_norm=4).fit(rows)
>>> print(pca.guarantee_.detection())
someone who accepts 5% false alarms detects a given person with at most 8.0% power
"""

import importlib

# Where public names live. A module is imported when one of its names is first asked for: tasks on a cluster need the exact sums alone, and scikit-learn takes
# them longer to import than a small part to sum.
_HOMES = {
    "_analyse": "analyse_moments analyse_pca analyse_regress",
    "_audit": "audit audit_sharp",
    "_core": "GDP ZCDP ApproxDP AuditResult Guarantee PureDP RenyiCurve SpikedDiagnostic TradeOffCurve __version__",
    "_covariance": "PrivateCovariance",
    "_diagnose": "diagnose_spiked",
    "_errors": "EigenveilError NullReleaseError PrivacyWarning ResultWarning",
    "_files": "explain merge_grams",
    "_guarantee": "compose compose_parallel to_dp_accounting",
    "_histograms": "private_bounds private_scores",
    "_ledger": "Ledger LedgerRelease",
    "_pca": "PrivatePCA",
    "_low_rank": "PrivateLowRank",
    "_masked": "MaskedData",
    "_plans": "Comparison Plan compare_pca plan_bounds plan_covariance plan_low_rank plan_mask plan_pca plan_scores plan_subspace",
    "_release": "Release read_release",
    "_samplers": "sample_bingham sample_orbit",
    "_shards": "Gram ShardBound merge new_run partial shard_bound",
    "_subspace": "PrivateSubspace",
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}
__all__ = sorted(_HOME_OF)


def __getattr__(name):
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_HOME_OF[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(set(globals()) | set(__all__))
