"""Private principal components."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._docs import PARAMETERS, with_parameters
from ._errors import EigenveilError
from ._estimator import PrivateEstimator


@with_parameters
class PrivatePCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PrivateEstimator):
    """Principal components with differential privacy.

    Rows are clipped to public bounds, summed exactly, and noised once. The learned attributes are the release: they may be published
    under ``guarantee_``. Scores of private rows (``transform``) may not.

    Parameters
    ----------
    n_components : int, default=1
        Number of components.
{parameters}
    variance_share : float, optional
        Share of the budget for the variances inside the subspace; only for methods that draw a subspace.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows, largest noisy variance first.
    explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components,)
        Noisy, never negative. Methods that draw a subspace do not release the total variance, so they have no ratio.
    noise_edge_ : ndarray of shape (n_components,)
        The variance that noise alone could show along each component, about. Below it a component cannot be told from noise.
    center_ : ndarray of shape (n_features,)
        What ``transform`` subtracts: the public midpoint or centre, or the private mean.
    mean_ : ndarray of shape (n_features,)
        The private mean; only with ``center="private"``, which pays for it.
    noise_floor_ : float
        About the largest eigenvalue that noise alone would show.
    noisy_count_, noisy_count_sd_ : float
        Noisy number of rows, where the number is protected (``neighbours="add-remove"``).
    n_samples_ : int
        Number of rows, where it is public (``"replace-one"``, ``"zero-row"``).
    guarantee_ : Guarantee
        What the release promises.
    method_ : str
        The method that was used.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenveil import PrivatePCA
    >>> answers = np.random.default_rng(0).integers(0, 11, size=(5000, 6))
    >>> pca = PrivatePCA(n_components=2, epsilon=1, delta=1e-6, bounds=(0, 10)).fit(answers)
    >>> pca.components_.shape
    (2, 6)
    >>> pca.guarantee_.epsilon(1e-6) <= 1
    True
    >>> hasattr(pca, "n_samples_")
    False
    """

    _task = "pca"

    def __init__(
        self,
        n_components=1,
        *,
        epsilon=None,
        delta=None,
        rho=None,
        mu=None,
        bounds=None,
        row_norm=None,
        center="none",
        neighbours="add-remove",
        group_size=1,
        method="auto",
        variance_share=None,
        standardize=False,
        columns=None,
        missing="midpoint",
        bad_cell="refuse",
        allele_frequencies=None,
        grid=None,
        threads=None,
        progress=False,
        seed=None,
    ):
        self.n_components = n_components
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.mu = mu
        self.bounds = bounds
        self.row_norm = row_norm
        self.center = center
        self.neighbours = neighbours
        self.group_size = group_size
        self.method = method
        self.variance_share = variance_share
        self.standardize = standardize
        self.columns = columns
        self.missing = missing
        self.bad_cell = bad_cell
        self.allele_frequencies = allele_frequencies
        self.grid = grid
        self.threads = threads
        self.progress = progress
        self.seed = seed

    def _components(self, dimension):
        k = self.n_components
        if not isinstance(k, Integral) or not 1 <= k <= dimension:
            raise EigenveilError(f"n_components must satisfy 1 <= n_components <= {dimension}, the number of columns")
        return int(k)

    def _publish(self, current, released):
        super()._publish(current, released)
        self.components_ = released.components
        self.explained_variance_ = released.explained_variance
        self.__dict__.pop("explained_variance_ratio_", None)
        if released.explained_share is not None:
            self.explained_variance_ratio_ = released.explained_share
        self.noise_edge_ = released.noise_edge
        self.n_components_ = len(released.components)

    @property
    def _n_features_out(self):
        return self.n_components_

    def transform(self, X):
        """Scores of rows along the components. Scores of private rows are **not** a release: they are as private as the rows.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_components)
        """
        rows = self._rows_in(X)
        return rows @ self.components_.T.astype(rows.dtype)

    def inverse_transform(self, X):
        """Rows in original units from scores: post-processing of whatever ``X`` is.

        Parameters
        ----------
        X : array of shape (n_rows, n_components)

        Returns
        -------
        ndarray of shape (n_rows, n_features)
        """
        check_is_fitted(self)
        return (np.asarray(X) @ self.components_) * self.scale_ + self.center_

    def score(self, X, y=None):
        """Share of the squared length of the rows (about ``center_``) that the components capture, between 0 and 1.

        Not a release: it looks at ``X`` without noise.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)
        y : ignored

        Returns
        -------
        float
        """
        rows = self._rows_in(X)
        total = float(np.square(rows, dtype=float).sum())
        return float(np.square(rows @ self.components_.T, dtype=float).sum()) / total if total > 0 else 1.0
