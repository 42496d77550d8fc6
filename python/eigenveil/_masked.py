"""Masked pseudo-data."""

from __future__ import annotations

import os

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._docs import with_parameters
from ._errors import EigenveilError
from ._estimator import PrivateEstimator
from ._parameters import shared_parameters, store_parameters
from ._progress import Progress
from ._rows import is_gram
from ._shards import totals_of
from ._table import reading


@with_parameters
class MaskedData(PrivateEstimator):
    """Pseudo-data: as many rows and the same columns, with the second moments of the rows plus noise.

    Method "gauss" (the default) puts the noise on the second moments. Method "mask" releases A (X + C), noise C on the rows and a uniformly
    random rotation A of all of them (Ding, Wu, Miao, Chen 2022): more noise at the same budget, and proved for real arithmetic.

    Rows lose their identity, second moments survive: regressions and components can be computed from the pseudo-rows as from the real ones, after
    the known noise variance is subtracted (:meth:`regress`, :meth:`pca`, :meth:`moments` do). The number of rows is public.

    There is no ``transform``, ``inverse_transform`` or ``score``: a pseudo-row belongs to nobody, so there is nothing to map a row to, and the
    pseudo-rows are no model of single rows whose fit could be scored.

    Parameters
    ----------
    intercept : bool, default=False
        With a leading column of ones, for means and models with an intercept; it counts in the norm.
    smallest_block : int, optional
        A shard masked alone: rows of the smallest shard of all, whose noise it gets. Shards with the same one can be analysed together.
{parameters}

    Attributes
    ----------
    columns_ : list of str
        Columns of the pseudo-data: "intercept" first where asked for, indicators in the place of their column.
    gram_ : ndarray
        The noisy sum of x x' in scaled units; the noise of method "mask" adds ``n_samples_ * sigma_**2`` to its diagonal on average.
    covariance_ : ndarray of shape (n_features, n_features)
        With the noise removed: second moment about the public centre, or with ``intercept`` the covariance; in original units unless
        ``standardize``.
    mean_ : ndarray of shape (n_features,)
        With ``intercept``: the noisy mean.
    sigma_ : float
        Method "mask": standard deviation of the noise on every cell, in scaled units.
    factors_ : list of ndarray
        One factor F for every block, F'F its noisy Gram.
    factor_ : ndarray
        The one of a single block.
    half_width_ : ndarray of shape (n_features,)
        Half the public range of a column: what a step in scaled units is in its own.
    block_rows_ : list of int
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
    >>> coded = np.column_stack([rows[:, 0], np.arange(500) % 3])
    >>> MaskedData(mu=1, bounds=(-1, 1), one_hot={"c2": [1, 2]}, intercept=True).fit(coded).columns_
    ['intercept', 'c1', 'c2=1', 'c2=2']
    """

    _task = "mask"

    @shared_parameters(PrivateEstimator)
    def __init__(self, *, intercept=False, smallest_block=None, **shared):
        store_parameters(self, locals())

    def fit(self, X, y=None, *, blocks=()):
        """Sum the rows exactly, release once, and forget the sums.

        Fitting again spends again: every call is a release of its own, and their guarantees compose.

        Parameters
        ----------
        X : array, data frame, Arrow data, or path
            The private rows.
        y : ignored
        blocks : list of tables or paths
            Further shards of the table: every one is masked by itself, with the noise of the smallest, and the release holds all of them.

        Returns
        -------
        self
        """
        _check_blocks([X, *blocks])
        with self._alone():
            self.__dict__.pop("_pass", None)
            try:
                self._read(X, whole=True)
                for block in () if self._pass.session.found_again else blocks:
                    self._add_block(block, self._pass)
                return self._release()
            finally:
                self.__dict__.pop("_pass", None)

    # ---- parts -----------------------------------------------------------------------------------------------------

    def _own_options(self):
        """What is drawn are factors; pseudo-data is made from them when it is written."""
        return {"intercept": True if self.intercept else None, "smallest_block": self.smallest_block, "factor_only": True}

    def _job(self, names):
        if any(value is not None and value is not False for value in (getattr(self, name) for name in _NOT_HERE)):
            raise EigenveilError(f"pseudo-data is of the columns of a table and its rows: leave out {', '.join(_NOT_HERE)}")
        return super()._job(names)

    def _add_block(self, block, current):
        """One more shard."""
        current.end_block()
        current.statistic = None
        if is_gram(block) or current.spec is None:
            gram = totals_of(block) if is_gram(block) else None
            if gram is None or gram.schema.columns != current.columns or gram.bound != current.session.bound:
                raise EigenveilError("the blocks have different columns or bounds")
            current.statistic = gram
            return
        options = reading(self, current.spec)
        source = self._open(block, options)
        if len(source.names) != len(current.names) or (source.named and current.named and source.names != current.names):
            raise EigenveilError("the blocks have different columns; choose the same with columns")
        with Progress(self.progress, type(self).__name__) as progress:
            source.feed(current.session, options, progress)

    def _publish(self, current, document):
        super()._publish(current, document)
        self._stream = current.session.take_stream()  # of the rotation, which carries nothing
        said, found = document.parameters, document.result
        self.columns_, self.details_ = said["columns"], {}
        self.half_width_ = current.session.cells.half_widths
        self.factors_ = [document.table(name) / said["column_scales"] for name in document.tables if name.startswith("factor")]
        self.block_rows_ = [int(rows) for rows in found["block_rows"]]
        if len(self.factors_) == 1:
            self.factor_ = self.factors_[0]
        self.gram_ = sum(factor.T @ factor for factor in self.factors_)
        if "sigma" in said:
            self.sigma_ = said["sigma"]
        self.noise_floor_ = said["sigma"] ** 2 if "sigma" in said else said["gram_noise_sd_diagonal"] / max(1, self.n_samples_)
        try:
            self.covariance_, mean, from_midpoints = _core.released_covariance(document)
        except EigenveilError as refusal:  # too few rows for an estimate: the release itself is whole, and its budget is spent
            self.details_["no_estimates"] = str(refusal)
            return
        if self.intercept:
            self.mean_ = self.midpoint_ + mean * self.scale_ if from_midpoints or self.standardize else mean

    # ---- the release -----------------------------------------------------------------------------------------------

    def get_feature_names_out(self, input_features=None):
        """Names of the columns of the pseudo-data.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        return np.asarray(self.columns_, dtype=object)

    def pseudo_rows(self, seed=None):
        """Pseudo-rows with exactly the released second moments, in original units: a uniform frame times the factor. Post-processing.

        They are moved back by the public midpoints; with ``intercept`` by the midpoints times the pseudo-intercept, which keeps all moments.

        Parameters
        ----------
        seed : int, optional
            Of the frame, which carries nothing; secure randomness without it.

        Returns
        -------
        ndarray of shape (n_samples_, len(columns_))
        """
        check_is_fitted(self)
        first = len(self.columns_) - len(self.half_width_)  # 1 with an intercept
        scales = np.concatenate([self._document.parameters["column_scales"][:first], self.half_width_])
        stream = _core.RandomStream(seed)
        rows = np.concatenate([_core.pseudo_rows(factor * scales, n, stream) for factor, n in zip(self.factors_, self.block_rows_)])
        if first:
            rows[:, 1:] += rows[:, :1] * self.midpoint_
            return rows
        return rows + self.midpoint_

    def write_release(self, path, *, format="csv", replace=False, data_set="", date="", factor_only=False, seed=None):
        """Write the release as ``eigenveil mask --out`` does: whole or not at all, with its document and report.

        Anybody can then read it with :func:`analyse_regress` and its sisters, ``eigenveil analyse`` and ``eigenveil explain``. Cells are about the
        public midpoints, and rounded to a public grid far below the noise.

        Parameters
        ----------
        path : path
            A new or empty directory, or a new file of pseudo-data (.csv, .csv.gz, .npy) with the release beside it.
        format, replace, data_set, date
            As in :meth:`PrivatePCA.write_release`.
        factor_only : bool, default=False
            Only the factors, from which pseudo-data could be made.
        seed : int, optional
            Of the frame, which carries nothing. Without it secure randomness; after a fit with ``seed`` the pseudo-data is that of the program.

        Returns
        -------
        list of str
            Names of the files.

        Examples
        --------
        >>> import os, tempfile
        >>> import numpy as np
        >>> from eigenveil import MaskedData
        >>> masked = MaskedData(epsilon=1, delta=1e-6, bounds=(0, 1)).fit(np.random.default_rng(0).uniform(size=(50, 2)))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     sorted(masked.write_release(f"{folder}/out"))
        ['noisy_gram.csv', 'pseudo_data.csv', 'release.json', 'report.html']
        """
        check_is_fitted(self)
        factors = self._document
        if not factor_only:
            fresh = _core.RandomStream(seed) if seed is not None or "_stream" not in self.__dict__ else self._stream
            self._document = factors.with_pseudo_data(fresh)
        elif os.fsdecode(path).endswith((".csv", ".csv.gz", ".npy")):
            raise EigenveilError("a factor is a release: name a directory")
        try:
            return super().write_release(path, format=format, replace=replace, data_set=data_set, date=date)
        finally:
            self._document = factors

    def write(self, path, **more):
        """:meth:`write_release`, by its older name.

        Parameters
        ----------
        path, **more
            As in :meth:`write_release`.
        """
        self.write_release(path, **more)

    # ---- what can be said from it ----------------------------------------------------------------------------------

    def moments(self, *, second_moment=False):
        """Covariance or second moment with standard errors: :func:`analyse_moments` of this release.

        Parameters
        ----------
        second_moment : bool, default=False

        Returns
        -------
        dict
        """
        from ._analyse import analyse_moments

        return analyse_moments(self, second_moment=second_moment)

    def regress(self, response, predictors, *, ridge=0.0, level=0.95, about="population"):
        """Least squares or ridge with confidence intervals: :func:`analyse_regress` of this release.

        Parameters
        ----------
        response, predictors, ridge, level, about
            As in :func:`analyse_regress`.

        Returns
        -------
        dict
        """
        from ._analyse import analyse_regress

        return analyse_regress(self, response, predictors, ridge=ridge, level=level, about=about)

    def pca(self, n_components=2):
        """Principal components with standard errors: :func:`analyse_pca` of this release.

        Parameters
        ----------
        n_components : int, default=2

        Returns
        -------
        dict
        """
        from ._analyse import analyse_pca

        return analyse_pca(self, n_components)


# Stages whose results are not about rows of the table any more.
_NOT_HERE = ("project", "projected_norm", "outside_norm", "normalise_rows", "person", "rows_per_person", "weights", "weight_bound", "people", "anyway")


def _check_blocks(blocks):
    """Nobody's rows may show twice."""
    paths = [os.path.realpath(block) for block in blocks if isinstance(block, (str, os.PathLike))]
    tables = [id(block) for block in blocks if not isinstance(block, (str, os.PathLike))]
    if len(set(paths)) < len(paths) or len(set(tables)) < len(tables):
        raise EigenveilError("a table is named twice among the blocks; its people would show twice")
