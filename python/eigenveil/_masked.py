"""Masked pseudo-data."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._docs import with_parameters
from ._estimator import PrivateEstimator


@with_parameters
class MaskedData(PrivateEstimator):
    """Masked pseudo-data A (X + C): noise C and a uniformly random rotation A of all rows, (epsilon, delta)-differentially private.

    Rows lose their identity, second moments survive: regressions and components can be computed from the pseudo-rows as from the real ones, after
    the known noise variance is subtracted. The number of rows is public.

    Parameters
    ----------
{parameters}

    Attributes
    ----------
    gram_ : ndarray of shape (n_features, n_features)
        The noisy sum of x x' in scaled units; its noise adds ``n_samples_ * sigma_**2`` to the diagonal on average.
    covariance_ : ndarray of shape (n_features, n_features)
        Second moment about the public centre with that noise removed; in original units unless ``standardize``.
    sigma_ : float
        Standard deviation of the noise on every cell, in scaled units.
    n_samples_ : int
        Public here.
    guarantee_, center_, row_norm_
        As in :class:`PrivatePCA`.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenveil import MaskedData
    >>> rows = np.random.default_rng(0).uniform(-1, 1, size=(500, 3))
    >>> masked = MaskedData(epsilon=1, delta=1e-6, bounds=(-1, 1)).fit(rows)
    >>> masked.pseudo_rows().shape, masked.guarantee_.relation
    ((500, 3), 'zero-row')
    """

    _task = "mask"

    _neighbours = "zero-row"

    def _publish(self, current, released):
        super()._publish(current, released)
        self.factor_ = released.factor
        self.gram_ = released.factor.T @ released.factor
        self.sigma_ = released.sigma
        half = np.ones(len(self.gram_)) if current.request.scaled else current.bound.half_widths
        self.half_width_ = current.bound.half_widths
        second = self.gram_ / max(1, self.n_samples_) - self.sigma_**2 * np.eye(len(self.gram_))
        self.covariance_ = second * np.outer(half, half)

    def pseudo_rows(self, seed=None):
        """Pseudo-rows with exactly the released second moments, in original units: a uniform frame times the factor. Post-processing.

        Parameters
        ----------
        seed : int, optional
            Of the frame, which carries nothing; secure randomness without it.

        Returns
        -------
        ndarray of shape (n_samples_, n_features)
        """
        check_is_fitted(self)
        return _core.pseudo_rows(self.factor_, self.n_samples_, self.half_width_, seed) + self.midpoint_
