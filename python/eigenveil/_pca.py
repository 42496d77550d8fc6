"""Private principal components."""

from __future__ import annotations

import warnings

import numpy as np

from ._docs import with_parameters
from ._engine import marked, shows_variances
from ._errors import EigenveilError, ResultWarning
from ._estimator import PrivateEstimator
from ._parameters import shared_parameters, store_parameters
from ._plots import draw_loadings, draw_scree
from ._projection import ProjectionMixin, checked_components

_NO_VARIANCE = "{what} needs the variances of the components, and method {method} releases none"


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
    whiten : bool, default=False
        ``transform`` divides every score by the square root of the released variance of its component, and ``inverse_transform`` multiplies by
        it. A component that cannot be told from noise is divided by the square root of its ``noise_edge_`` instead (of ``noise_floor_``
        where there is no edge), and ``transform`` says so
        (:class:`ResultWarning`). It costs nothing. Method "oja" releases no variance, so ``fit`` refuses it.
    correlation : bool, default=False
        Components of correlations: columns are divided by their released standard deviations (``scale_``), after the noise and free of charge.
        Columns whose variance noise hides are left out (loading 0, ``details_["left_out_columns"]``). Methods "gauss", "wishart" and "laplace".

    Attributes
    ----------
    components_ : real or complex ndarray of shape (n_components, n_features)
        Orthonormal rows, largest noisy variance first.
    explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components,)
        Noisy, never negative, never above what the bounds allow. A component that cannot be told from noise has no ratio (nan). Methods that draw a subspace do not release the total variance, so they have no ratio; "oja" releases
        neither.
    singular_values_ : ndarray of shape (n_components,)
        Noisy singular values of the table of rows about ``center_``: the square root of ``explained_variance_`` times the number of rows (the
        public or the noisy one). Methods that release no variance, or no number of rows, have none.
    noise_variance_ : float
        Mean variance of the directions that show none of their own: those left out, and the components that cannot be told from noise. What
        is left of the released total, never negative. Exists where ``explained_variance_ratio_`` does.
    noise_edge_ : ndarray of shape (n_components,)
        What each component must exceed: in 19 of 20 releases there is, along all components that do, more variance than along the directions
        left out on average. Below it a component cannot be told from noise. Methods that draw a subspace know nothing of what they leave out:
        they have neither this nor ``below_noise_``, and a variance below ``noise_floor_`` cannot be told from zero.
    below_noise_, clipped_ : ndarray of bool
        Components that cannot be told from noise; variances that were clipped to the largest the bounds allow.
    center_ : ndarray of shape (n_features,)
        What ``transform`` subtracts: the public midpoint or centre, or the private mean.
    mean_ : ndarray of shape (n_features,)
        The private mean; only with ``center="private"``, which pays for it.
    noise_floor_ : float
        The largest variance of a table of zeros passes it in 5% of releases at most.
    is_null_ : bool
        Some methods may answer NULL, a legal outcome that says nothing more ("spiked-robust": the noisy eigengap is too small; "sharp": the
        target is out of reach). Then there are no components, ``null_reason_`` says why, and ``transform`` raises
        :class:`NullReleaseError`.
    null_reason_ : str
        Of a release that is NULL.
    subspace_ : ndarray of shape (within_subspace, n_features)
        With ``within_subspace``: orthonormal rows that span the learned subspace.
    hermitian_ : complex ndarray
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
    def __init__(self, n_components=1, *, variance_share=None, within_subspace=None, whiten=False, correlation=False, **shared):
        store_parameters(self, locals())

    def _components(self, dimension):
        return checked_components(self.n_components, dimension)

    def _job(self, names):
        if not isinstance(self.whiten, (bool, np.bool_)):
            raise EigenveilError("whiten must be True or False")
        if self.whiten and not shows_variances(self.method):
            raise EigenveilError(_NO_VARIANCE.format(what="whiten", method=self.method))
        return super()._job(names)

    def _variances(self, what):
        """Released variances, or a refusal that names what asked for them."""
        self._check_released()
        if not hasattr(self, "explained_variance_"):
            raise EigenveilError(_NO_VARIANCE.format(what=what, method=self.method_))
        return self.explained_variance_

    def _score_spread(self, warn=False):
        if not self.whiten:
            return None
        variances = self._variances("whiten")
        noise = np.flatnonzero(self._within_noise) + 1
        if warn and len(noise):
            which = f"component {noise[0]}" if len(noise) == 1 else f"components {', '.join(map(str, noise))}"
            warnings.warn(
                f"whiten: {which} cannot be told from noise; scores are divided by the square root of the noise {'edge' if hasattr(self, 'noise_edge_') else 'floor'}, not of the variance",
                ResultWarning,
                stacklevel=4,
            )
        return np.sqrt(np.maximum(np.where(self._within_noise, self._noise_limits, variances), np.finfo(float).tiny))

    def get_covariance(self):
        """The covariance that the release describes (the second moment about ``center_`` where no private mean was paid for).

        Post-processing of released numbers, in the units of ``explained_variance_``. Along a component it has the released variance; along
        every other direction, and along components that cannot be told from noise, it has ``noise_variance_``, so that its trace is the
        released total. A method that releases no total leaves these directions at 0: the matrix has at most rank ``n_components``.
        :class:`PrivateCovariance` estimates all entries and is the better choice where those are wanted.

        Returns
        -------
        real or complex ndarray of shape (n_features, n_features)
            Symmetric (Hermitian for complex rows) and positive semidefinite.
        """
        variances, rest = self._variances("get_covariance"), getattr(self, "noise_variance_", 0.0)
        told = ~self._within_noise
        basis = self.components_[told]
        matrix = (basis.T * (variances[told] - rest)) @ basis.conj() + rest * np.eye(self.components_.shape[1])
        return (matrix + matrix.conj().T) / 2

    def plot_scree(self, ax=None):
        """Draws the released variances as bars, with the noise edge of each component. Needs matplotlib (``eigenveil[plots]``).

        A component that cannot be told from noise is faint.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure without it.

        Returns
        -------
        matplotlib.axes.Axes
        """
        self._variances("plot_scree")
        return draw_scree(self, ax)

    def plot_loadings(self, components=None, ax=None, largest=None):
        """Draws the loadings as bars, one group for each column. Needs matplotlib (``eigenveil[plots]``).

        A component that cannot be told from noise is faint. Complex loadings are drawn by their absolute values.

        Parameters
        ----------
        components : int or sequence of int, optional
            Which, from 0; all without it.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure without it.
        largest : int, optional
            Only that many columns: those with the largest loadings, in the order of the table.

        Returns
        -------
        matplotlib.axes.Axes
        """
        self._check_released()
        return draw_loadings(self, components, ax, largest)

    def _publish(self, current, document):
        super()._publish(current, document)
        if self.is_null_:
            return
        tables, found = document.tables, document.result
        if "subspace" in tables:
            self.subspace_ = np.array(document.table("subspace").T)
        if "loadings_real" in tables:
            self.components_ = document.table("loadings_real").T + 1j * document.table("loadings_imaginary").T
        else:
            self.components_ = np.array(document.table("loadings").T)
        self.n_components_ = len(self.components_)
        if "noisy_explained_variance" not in found:  # a method that does not release it has no such attributes
            return
        self._set_variances(found["noisy_explained_variance"], marked(found["clipped_to_largest_possible"], self.n_components_), found)

    def _set_variances(self, variances, clipped, found):
        self.explained_variance_, self.clipped_ = variances, clipped
        edge = found.get("noise_edge")
        self._noise_limits = np.full(len(variances), self.noise_floor_) if edge is None else edge
        below = self._within_noise = variances < self._noise_limits
        if edge is not None:
            self.noise_edge_, self.below_noise_ = edge, below
        count = getattr(self, "n_samples_", getattr(self, "noisy_count_", None))
        if count is not None:
            self.singular_values_ = np.sqrt(variances * max(float(count), 0.0))
        if "noisy_explained_share" in found:
            self.explained_variance_ratio_ = found["noisy_explained_share"]
            others = self.components_.shape[1] - int((~below).sum())
            left_over = found["noisy_total_variance"] - float(variances[~below].sum())
            self.noise_variance_ = max(left_over, 0.0) / others if others else 0.0
