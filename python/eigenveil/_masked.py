"""Masked pseudo-data."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._bounds import make_bound
from ._budget import make_budget
from ._docs import with_parameters
from ._errors import EigenveilError, whole
from ._estimator import PrivateEstimator, _Pass, shared_parameters, store_parameters
from ._guarantee import stated
from ._progress import Progress
from ._rows import is_gram
from ._shards import totals_of


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
    one_hot : mapping, optional
        Column to the public list of its categories: a column of words (data frames, Arrow, text files) or of numeric codes becomes one 0/1
        column for each listed one, named "column=category". Anything else is 0 in all of them (the reference), or 1 in a column of its own
        where the list ends in "*".
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
        One factor F for every block, F'F its noisy Gram; ``factor_`` is the one of a single block.
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
    _charges = False

    _neighbours = "zero-row"

    @shared_parameters(PrivateEstimator)
    def __init__(self, *, intercept=False, one_hot=None, smallest_block=None, **shared):
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
                self._pass.blocks = [self._block(block, self._pass) for block in blocks]
                return self._release()
            finally:
                self.__dict__.pop("_pass", None)

    # ---- parts -----------------------------------------------------------------------------------------------------

    def _lists(self):
        if self.one_hot is None:
            return []
        if not isinstance(self.one_hot, Mapping):
            raise EigenveilError("one_hot maps a column to the list of its categories, for example {'sex': ['male', 'female']}")
        return [(str(column), [str(word) for word in words]) for column, words in self.one_hot.items()]

    def _expanded(self, names):
        lists = self._lists()
        return _core.one_hot_columns(list(names), lists) if lists else list(names)

    def _options(self):
        lists = dict(self._lists())
        return replace(super()._options(), words={column: lists[column] for column in _core.one_hot_words(list(lists.items()))})

    def _public(self, names, bound=None):
        """Everything that masked data of these columns depend on, as the settings of the library take it."""
        method = "gauss" if self.method in (None, "auto") else self.method
        legal = {"gauss": (), "mask": ("calibration",)}
        if method not in legal:
            raise EigenveilError(f"method '{method}' is not known; mask has {', '.join(legal)}")
        options = self.method_options or {}
        for name in options:
            if name not in legal[method]:
                raise EigenveilError(f"method {method} has no option '{name}'; it has: {', '.join(legal[method]) or 'none'}")
        if options.get("calibration", "tight") not in ("tight", "published"):
            raise EigenveilError("calibration must be 'tight' or 'published'")
        if isinstance(self.center, str) and self.center == "private":
            raise EigenveilError("pseudo-data has no private centre; give intercept=True, and the analyses subtract the mean")
        columns = self._expanded(names)
        block = 0 if self.smallest_block is None else whole(self.smallest_block, "smallest_block", 1, 2**50)
        settings = (
            method, make_budget(self.epsilon, self.delta, self.rho, self.mu), self.neighbours or self._neighbours,
            bound or self._bound_of_columns(names),
            columns, bool(self.intercept), options.get("calibration") == "published", bool(self.standardize),
            whole(self.group_size, "group_size", 1), block,
        )  # fmt: skip
        _core.check_pseudo(_core.MaskSettings(*settings))
        return settings

    def _bound_of_columns(self, names):
        """Indicators lie in 0..1: columns that are expanded need no range of their own."""
        lists = self._lists()
        listed = {column for column, _ in lists}
        bounds = self.bounds
        if isinstance(bounds, Mapping):
            bounds = {**{column: (0, 1) for column in listed}, **bounds}
        center = None if self.center is None or isinstance(self.center, str) else self.center
        plain = make_bound(list(names), bounds, self.row_norm, center, self.grid, self.allele_frequencies)
        if not lists:
            return plain
        return _core.one_hot_bound(plain, list(names), lists, self.row_norm)

    def _start(self, source, whole):
        public = self._public(source.names)
        bound = public[3]
        return _Pass(source.names, source.named, bound, None, public, public[0], self._accumulator(source, bound))

    def _accumulator(self, source, bound):
        lists = self._lists()
        return _core.OneHotGram(source.names, lists, bound, self.threads or 0) if lists else source.accumulator(bound, self.threads)

    def _load_gram(self, path):
        if self.one_hot is not None:
            raise EigenveilError("a .gram file holds no cells any more; leave out one_hot, or make it again from the rows")
        if self.bounds is not None or self.row_norm is not None or self.grid is not None or self.columns:
            raise EigenveilError("a .gram file carries its own bound and columns; leave bounds, row_norm, grid and columns out")
        if "_pass" in self.__dict__:
            raise EigenveilError("merge .gram files with `eigenveil gram merge` before they are released")
        gram = totals_of(path)
        public = self._public(gram.columns, gram.bound)
        self._pass = _Pass(gram.columns, True, gram.bound, None, public, public[0], statistic=gram)
        self._pass.parameters = copy.deepcopy(self.get_params(deep=False))

    def _block(self, block, current):
        """The exact sums of one more shard."""
        if is_gram(block):
            gram = totals_of(block)
            if gram.columns != current.asked[4] or gram.bound != current.bound:
                raise EigenveilError("the blocks have different columns or bounds")
            return gram
        options = self._options()
        source = self._open(block, options)
        if len(source.names) != len(current.names) or (source.named and current.named and source.names != current.names):
            raise EigenveilError("the blocks have different columns; choose the same with columns")
        accumulator = self._accumulator(source, current.bound)
        with Progress(self.progress, type(self).__name__) as progress:
            source.feed(accumulator, options, progress)
        return accumulator.finish()

    def _release_pass(self, current):
        grams = [current.finish(), *getattr(current, "blocks", [])]
        return _core.draw_pseudo(_core.MaskSettings(*current.asked), grams, self.seed)

    def _publish(self, current, release):
        self._forget()
        self._set_features(current)
        budget, intercept, scaled = current.asked[1], current.asked[5], current.asked[7]
        self._published = (current.asked, release)  # what the settings are made of again, after pickling too
        self._gaps_filled = current.from_file or self.missing != "refuse" or self.bad_cell != "refuse"
        self.guarantee_ = stated(release.guarantee, budget)
        self.missing_cells_ = _core.gaps_in_words(self._gaps_filled, True)
        self.method_, self.details_, self.is_null_ = current.method, {}, False
        self.columns_ = self._settings().columns
        self.factors_, self.block_rows_ = release.factors, release.block_rows
        self.n_samples_ = sum(self.block_rows_)
        self.noise_floor_ = release.cell_sd**2 if release.cell_sd > 0 else release.gram_sd_diagonal / max(1, self.n_samples_)
        if len(self.factors_) == 1:
            self.factor_ = self.factors_[0]
        self.gram_ = sum(factor.T @ factor for factor in self.factors_)
        if release.cell_sd > 0:
            self.sigma_ = release.cell_sd
        self.row_norm_ = current.bound.radius
        self.midpoint_ = self.center_ = current.bound.midpoints
        self.half_width_ = current.bound.half_widths
        self.scale_ = self.half_width_ if scaled else np.ones(len(self.midpoint_))
        try:
            found = _core.analyse_moments(self._released_gram(), False)
        except EigenveilError as refusal:  # too few rows for an estimate: the release itself is whole, and its budget is spent
            self.details_["no_estimates"] = str(refusal)
            return
        self.covariance_ = found["values"]
        if intercept:
            self.mean_ = self.midpoint_ + found["mean"] * self.scale_

    def _settings(self):
        settings = _core.MaskSettings(*self._published[0])
        settings.fills_gaps = self._gaps_filled
        return settings

    def _released_gram(self):
        check_is_fitted(self)
        return _core.pseudo_gram(self._settings(), self._published[1])

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
        settings, release = self._settings(), self._published[1]
        scales = settings.scales.copy()
        first = len(scales) - len(self.half_width_)  # 1 with an intercept
        scales[first:] = self.half_width_
        blocks = [_core.pseudo_rows(factor, rows, scales, seed) for factor, rows in zip(release.factors, release.block_rows)]
        rows = np.concatenate(blocks)
        if first:
            rows[:, 1:] += rows[:, :1] * self.midpoint_
            return rows
        return rows + self.midpoint_

    def write_release(self, path, *, format="csv", replace=False, data_set="", date=""):
        """:meth:`write`, by the name it has for every estimator.

        Parameters
        ----------
        path, format, replace, data_set, date
            As in :meth:`write`.

        Returns
        -------
        list of str
            Names of the files of a directory.
        """
        self.write(path, format=format, replace=replace, data_set=data_set, date=date)
        return sorted(os.listdir(path)) if os.path.isdir(path) else []

    def write(self, path, *, format="csv", factor_only=False, replace=False, seed=None, data_set="", date=""):
        """Write the release as ``eigenveil mask --out`` does: whole or not at all, with its document and report.

        Anybody can then read it with :func:`analyse_regress` and its sisters, ``eigenveil analyse`` and ``eigenveil explain``. Cells are about the
        public midpoints, and rounded to a public grid far below the noise.

        Parameters
        ----------
        path : path
            A new or empty directory, or a new file of pseudo-data (.csv, .csv.gz, .npy) with the release beside it.
        format : {"csv", "npy"}, default="csv"
            Of the arrays in a directory.
        factor_only : bool, default=False
            Only the factors, from which pseudo-data could be made.
        replace : bool, default=False
            The directory may hold an earlier release and nothing else; that release is then lost.
        seed : int, optional
            Of the frame, which carries nothing; secure randomness without it.
        data_set, date : str, optional
            A public name of the table, and a date in your words, to stand in the release; never filled in.

        Examples
        --------
        >>> import os, tempfile
        >>> import numpy as np
        >>> from eigenveil import MaskedData
        >>> masked = MaskedData(epsilon=1, delta=1e-6, bounds=(0, 1)).fit(np.random.default_rng(0).uniform(size=(50, 2)))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     masked.write(f"{folder}/out")
        ...     sorted(os.listdir(f"{folder}/out"))
        ['noisy_gram.csv', 'pseudo_data.csv', 'release.json', 'report.html']
        """
        check_is_fitted(self)
        if format not in ("csv", "npy"):
            raise EigenveilError("format must be 'csv' or 'npy'")
        settings, release = self._settings(), self._published[1]
        if release.guarantee != self.guarantee_:
            raise EigenveilError("a step of the pipeline was fitted on the private rows: the files would claim a guarantee that does not hold")
        _core.publish_pseudo(settings, release, os.fsdecode(path), format == "npy", bool(factor_only), bool(replace), self.threads or 0, seed, str(data_set), str(date))

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


def _check_blocks(blocks):
    """Nobody's rows may show twice."""
    paths = [os.path.realpath(block) for block in blocks if isinstance(block, (str, os.PathLike))]
    tables = [id(block) for block in blocks if not isinstance(block, (str, os.PathLike))]
    if len(set(paths)) < len(paths) or len(set(tables)) < len(tables):
        raise EigenveilError("a table is named twice among the blocks; its people would show twice")
