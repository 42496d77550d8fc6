"""Private principal components."""

from __future__ import annotations

import numpy as np

from . import _core
from ._docs import with_parameters
from ._estimator import PrivateEstimator, shared_parameters, store_parameters
from ._projection import ProjectionMixin, checked_components


@with_parameters
class PrivatePCA(ProjectionMixin, PrivateEstimator):
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
    within_subspace : int, optional
        Method "subspace": learn a subspace of this dimension first and work inside it, where noise does not grow with the number of columns.
        Needs ``epsilon`` with ``delta`` and ``neighbours="replace-one"``; ``method_options`` may hold ``subspace_share`` (of the budget, for
        learning it; default 0.5) and ``gamma``. Results are in scaled units, as with ``standardize``.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows, largest noisy variance first.
    explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components,)
        Noisy, never negative, never above what the bounds allow. A component that cannot be told from noise has no ratio (nan). Methods that draw a subspace do not release the total variance, so they have no ratio; "oja" releases
        neither.
    noise_edge_ : ndarray of shape (n_components,)
        The variance that noise alone could show along each component, about. Below it a component cannot be told from noise.
    below_noise_, clipped_ : ndarray of bool
        Components that cannot be told from noise; variances that were clipped to the largest the bounds allow.
    center_ : ndarray of shape (n_features,)
        What ``transform`` subtracts: the public midpoint or centre, or the private mean.
    mean_ : ndarray of shape (n_features,)
        The private mean; only with ``center="private"``, which pays for it.
    noise_floor_ : float
        About the largest eigenvalue that noise alone would show.
    is_null_ : bool
        Some methods may answer NULL, a legal outcome that says nothing more ("spiked-robust": the noisy eigengap is too small; "sharp": the
        target is out of reach). Then there are no components, ``null_reason_`` says why, and ``transform`` raises
        :class:`NullReleaseError`.
    subspace_ : ndarray of shape (within_subspace, n_features)
        With ``within_subspace``: orthonormal rows that span the learned subspace.
    hermitian_ : ndarray of complex
        Method "orbit" with the option ``hermitian``, or complex rows: the Hermitian matrix that was drawn.
    details_ : dict
        Further released numbers of the method, with the names of the command line's JSON.
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

    @shared_parameters(PrivateEstimator)
    def __init__(self, n_components=1, *, variance_share=None, within_subspace=None, **shared):
        store_parameters(self, locals())

    def _components(self, dimension):
        return checked_components(self.n_components, dimension)

    def _publish(self, current, released):
        super()._publish(current, released)
        if self.is_null_:
            return
        self.components_ = released.components
        self.n_components_ = len(released.components)
        if hasattr(released, "subspace"):
            self.subspace_ = released.subspace
        if released.explained_variance is None:  # a method that does not release it has no such attributes
            return
        share, edge = released.explained_share, released.noise_edge
        self.explained_variance_, ratio, below, clipped = _core.judge_components(
            released.explained_variance, edge, np.empty(0) if share is None else share, current.bound, current.request.scaled
        )
        self.noise_edge_, self.below_noise_, self.clipped_ = edge, np.asarray(below), np.asarray(clipped)
        if share is not None:
            self.explained_variance_ratio_ = ratio
