"""Private low-rank approximation."""

from __future__ import annotations

from ._docs import with_parameters
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
    whiten : bool, default=False
        As in :class:`PrivatePCA`.

    Attributes
    ----------
    low_rank_ : ndarray of shape (n_features, n_features)
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
    ('orbit', True)
    """

    _task = "lowrank"

    def _publish(self, current, released):
        super()._publish(current, released)
        low_rank = getattr(released, "low_rank", None)
        if low_rank is None:
            low_rank = (self.components_.T * self.explained_variance_) @ self.components_
        self.low_rank_ = low_rank

    def get_covariance(self):
        """The released matrix, ``low_rank_``: what lies outside its range counts as 0.

        Returns
        -------
        ndarray of shape (n_features, n_features)
        """
        self._check_released()
        return self.low_rank_.copy()
