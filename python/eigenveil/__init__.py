"""Differentially private principal components and covariances, with the scikit-learn shape.

>>> import numpy as np
>>> import eigenveil
>>> rows = np.random.default_rng(0).normal(size=(10000, 5))
>>> pca = eigenveil.PrivatePCA(n_components=2, epsilon=1, delta=1e-6, row_norm=4).fit(rows)
>>> print(pca.guarantee_.detection())
someone who accepts 5% false alarms detects a given person with at most 8.0% power
"""

from ._audit import audit
from ._core import (
    GDP,
    ZCDP,
    ApproxDP,
    AuditResult,
    Guarantee,
    PureDP,
    RenyiCurve,
    TradeOffCurve,
    __version__,
)
from ._covariance import PrivateCovariance
from ._errors import EigenveilError, PrivacyWarning
from ._guarantee import compose, compose_parallel, to_dp_accounting
from ._low_rank import PrivateLowRank
from ._masked import MaskedData
from ._pca import PrivatePCA
from ._plans import Plan, plan_covariance, plan_pca
from ._samplers import sample_bingham, sample_orbit

__all__ = [
    "ApproxDP",
    "AuditResult",
    "EigenveilError",
    "GDP",
    "Guarantee",
    "MaskedData",
    "Plan",
    "PrivacyWarning",
    "PrivateCovariance",
    "PrivateLowRank",
    "PrivatePCA",
    "PureDP",
    "RenyiCurve",
    "TradeOffCurve",
    "ZCDP",
    "__version__",
    "audit",
    "compose",
    "compose_parallel",
    "plan_covariance",
    "plan_pca",
    "sample_bingham",
    "sample_orbit",
    "to_dp_accounting",
]
