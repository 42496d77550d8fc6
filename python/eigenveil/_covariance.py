"""Private covariance."""

from __future__ import annotations

import numpy as np

from ._docs import with_parameters
from ._estimator import PrivateEstimator
from ._parameters import shared_parameters, store_parameters


@with_parameters
class PrivateCovariance(PrivateEstimator):
    """Covariance (or second moment about a public centre) with differential privacy.

    ``score`` and ``mahalanobis`` look at rows under it. There is no ``transform``: a covariance has no coordinates of its own to map a row to;
    :class:`PrivatePCA` has. Estimates with intervals: :func:`analyse_regress`, :func:`analyse_moments`, :func:`analyse_pca`.

    Parameters
    ----------
{parameters}
    variance_share : float, optional
        Method "spiked": share of the budget for the covariance inside the subspace (default 0.5).
    within_subspace : int, optional
        Learn a subspace of this dimension first and release the second moment inside it, as in :class:`PrivatePCA`.

    correlation : bool, default=False
        Correlations as well: the noisy covariance divided by the released variances, after the noise and free of charge. Methods "gauss", "wishart"
        and "laplace".

    Attributes
    ----------
    covariance_ : real or complex ndarray of shape (n_features, n_features)
        The nearest positive semidefinite matrix to ``covariance_raw_``.
    covariance_raw_ : real or complex ndarray of shape (n_features, n_features)
        As noised: unbiased, perhaps indefinite.
    correlation_ : ndarray of shape (n_features, n_features)
        With ``correlation``: positive semidefinite with ones on the diagonal; nan for columns whose variance noise hides, which
        ``details_["left_out_columns"]`` lists.
    location_ : ndarray of shape (n_features,)
        ``center_`` by the name that scikit-learn's covariances have.
    eigenvalues_ : ndarray of shape (n_features,)
        Of ``covariance_raw_``, largest first.
    subspace_, covariance_inside_ : ndarray
        With ``within_subspace``: orthonormal rows that span the learned subspace, and the second moment in its coordinates;
        ``covariance_`` is ``subspace_.T @ covariance_inside_ @ subspace_``.
    hermitian_, is_null_, null_reason_, details_
        As in :class:`PrivatePCA`. Complex rows (method "orbit"): ``covariance_`` is Hermitian.
    center_, mean_, noise_floor_, noisy_count_, noisy_count_sd_, n_samples_, guarantee_, method_
        As in :class:`PrivatePCA`.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenveil import PrivateCovariance
    >>> rows = np.random.default_rng(0).normal(size=(5000, 3))
    >>> released = PrivateCovariance(mu=1, row_norm=3, center="private").fit(rows)
    >>> released.covariance_.shape, released.guarantee_.relation
    ((3, 3), 'add-remove')
    """

    _task = "covariance"

    @shared_parameters(PrivateEstimator)
    def __init__(self, *, variance_share=None, within_subspace=None, correlation=False, **shared):
        store_parameters(self, locals())

    def _publish(self, current, document):
        super()._publish(current, document)
        if self.is_null_:
            return
        tables, found = document.tables, document.result
        if "covariance_inside" in tables:
            frame = document.table("subspace")
            self.subspace_, self.covariance_inside_ = np.array(frame.T), document.table("covariance_inside")
            self.covariance_ = frame @ self.covariance_inside_ @ frame.T
            self.covariance_raw_ = frame @ document.table("covariance_inside_raw") @ frame.T
            self.eigenvalues_ = np.linalg.eigvalsh(document.table("covariance_inside_raw"))[::-1].copy()
        else:
            self.covariance_ = document.table("covariance") if "covariance" in tables else self.hermitian_
            self.covariance_raw_ = document.table("covariance_raw") if "covariance_raw" in tables else self.covariance_
            has_raw = "covariance_raw" in tables and "noisy_eigenvalues" in found
            self.eigenvalues_ = found["noisy_eigenvalues"] if has_raw else np.linalg.eigvalsh(self.covariance_raw_)[::-1].copy()
        self.location_ = self.center_
        if self.correlation:
            self.correlation_ = np.full(self.covariance_.shape, np.nan)
            if "correlation" in tables:  # a table without columns is none
                kept = [current.columns.index(name) for name in document.labels("correlation")[0]]
                self.correlation_[np.ix_(kept, kept)] = document.table("correlation")

    def get_precision(self):
        """Inverse of the released covariance with eigenvalues no smaller than the noise floor: what lies below it is noise.

        Returns
        -------
        real or complex ndarray of shape (n_features, n_features)
        """
        self._check_released()
        values, vectors = self._floored()
        return (vectors / values) @ vectors.conj().T

    def mahalanobis(self, X):
        """Squared Mahalanobis distances of rows to ``center_``. Not a release for private rows.

        Parameters
        ----------
        X : array or sparse array of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        precision = self.get_precision()
        return np.concatenate([np.einsum("ij,jk,ik->i", rows.conj(), precision, rows).real for rows in self._row_blocks(X)])

    def score(self, X, y=None):
        """Mean Gaussian log-likelihood of rows under the released covariance. Not a release for private rows.

        Complex rows: of the circular complex normal law, whose density is ``exp(-z* P z) det(P) / pi^p``.

        Parameters
        ----------
        X : array or sparse array of shape (n_rows, n_features)
        y : ignored

        Returns
        -------
        float
        """
        distances = self.mahalanobis(X)
        values, _ = self._floored()
        if np.iscomplexobj(self.covariance_):
            return float(-(distances.mean() + np.log(values).sum() + len(values) * np.log(np.pi)))
        return float(-0.5 * (distances.mean() + np.log(values).sum() + len(values) * np.log(2 * np.pi)))

    def error_norm(self, covariance):
        """Frobenius distance between the released covariance and another, for comparison with a public one.

        Parameters
        ----------
        covariance : ndarray of shape (n_features, n_features)

        Returns
        -------
        float
        """
        self._check_released()
        return float(np.linalg.norm(self.covariance_ - np.asarray(covariance)))

    def _floored(self):
        values, vectors = np.linalg.eigh(self.covariance_)
        return np.maximum(values, max(self.noise_floor_, np.finfo(float).tiny)), vectors
