"""Private low-rank approximation."""

from __future__ import annotations

import numpy as np

from ._docs import with_parameters
from ._estimator import PrivateEstimator
from ._pca import PrivatePCA


@with_parameters
class PrivateLowRank(PrivatePCA):
    """A rank-k approximation of the second moment about a public centre (or of the covariance) with differential privacy.

    Parameters
    ----------
    n_components : int, default=1
        The rank.
{parameters}
    variance_share : None
        Not used here.
    correlation : False
        Not used here.
    whiten : bool, default=False
        As in :class:`PrivatePCA`.

    Attributes
    ----------
    low_rank_ : real or complex ndarray of shape (n_features, n_features)
        Symmetric, positive semidefinite, of rank at most ``n_components``.
    components_, explained_variance_, noise_floor_, center_, guarantee_, method_, ...
        Its eigenvectors and eigenvalues, and the rest, as in :class:`PrivatePCA`.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenveil import PrivateLowRank
    >>> rows = np.random.default_rng(0).normal(size=(5000, 4)) * [3, 2, 1, 1]
    >>> released = PrivateLowRank(2, epsilon=1, row_norm=6).fit(rows)
    >>> released.method_, int(np.linalg.matrix_rank(released.low_rank_)) <= 2
    ('wishart', True)
    """

    _task = "lowrank"

    def _publish(self, current, document):
        PrivateEstimator._publish(self, current, document)
        found = document.result
        self.low_rank_ = document.table("lowrank") if "lowrank" in document.tables else self.hermitian_
        rank = self.n_components_ = document.parameters["components"]
        values, vectors = np.linalg.eigh(self.low_rank_)
        values, vectors = np.maximum(values[: -rank - 1 : -1], 0.0), vectors[:, : -rank - 1 : -1]
        largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(rank)]
        self.components_ = np.ascontiguousarray((vectors * (np.abs(largest) / largest)).T)  # the largest entry of each is positive
        self.__dict__.setdefault("noise_floor_", 0.0)  # eigenvalues that were prescribed have no noise
        most = found.get("largest_possible_variance", np.inf)
        self._set_variances(np.minimum(values, most), values > most, found)

    def get_covariance(self):
        """The released matrix, ``low_rank_``: what lies outside its range counts as 0.

        Returns
        -------
        real or complex ndarray of shape (n_features, n_features)
        """
        self._check_released()
        return self.low_rank_.copy()
