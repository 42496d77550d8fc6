"""Differentially private principal components and covariances, with the scikit-learn shape.

>>> import numpy as np
>>> import eigenveil
>>> rows = np.random.default_rng(0).normal(size=(10000, 5))
>>> pca = eigenveil.PrivatePCA(n_components=2, epsilon=1, delta=1e-6, row_norm=4).fit(rows)
>>> print(pca.guarantee_.detection())
someone who accepts 5% false alarms detects a given person with at most 8.0% power
"""

from ._analyse import analyse_moments, analyse_pca, analyse_regress
from ._audit import audit, audit_sharp
from ._core import (
    GDP,
    ZCDP,
    ApproxDP,
    AuditResult,
    Guarantee,
    PureDP,
    RenyiCurve,
    SpikedDiagnostic,
    TradeOffCurve,
    __version__,
)
from ._covariance import PrivateCovariance
from ._diagnose import diagnose_spiked
from ._errors import EigenveilError, NullReleaseError, PrivacyWarning, ResultWarning
from ._files import explain, merge_grams
from ._guarantee import compose, compose_parallel, to_dp_accounting
from ._histograms import private_bounds, private_scores
from ._ledger import Ledger, LedgerRelease
from ._low_rank import PrivateLowRank
from ._masked import MaskedData
from ._pca import PrivatePCA
from ._plans import Comparison, Plan, compare_pca, plan_covariance, plan_low_rank, plan_mask, plan_pca, plan_subspace
from ._release import Release, read_release
from ._samplers import sample_bingham, sample_orbit
from ._shards import Gram, ShardBound, merge, new_run, partial, shard_bound
from ._subspace import PrivateSubspace

__all__ = [
    "ApproxDP",
    "AuditResult",
    "Comparison",
    "EigenveilError",
    "GDP",
    "Gram",
    "Guarantee",
    "Ledger",
    "LedgerRelease",
    "MaskedData",
    "NullReleaseError",
    "Plan",
    "PrivacyWarning",
    "PrivateCovariance",
    "PrivateLowRank",
    "PrivatePCA",
    "PrivateSubspace",
    "PureDP",
    "Release",
    "RenyiCurve",
    "ResultWarning",
    "ShardBound",
    "SpikedDiagnostic",
    "TradeOffCurve",
    "ZCDP",
    "__version__",
    "analyse_moments",
    "analyse_pca",
    "analyse_regress",
    "audit",
    "audit_sharp",
    "compose",
    "compose_parallel",
    "compare_pca",
    "diagnose_spiked",
    "explain",
    "merge",
    "merge_grams",
    "new_run",
    "partial",
    "plan_covariance",
    "plan_low_rank",
    "plan_mask",
    "plan_pca",
    "plan_subspace",
    "private_bounds",
    "private_scores",
    "read_release",
    "sample_bingham",
    "sample_orbit",
    "shard_bound",
    "to_dp_accounting",
]
