"""What every private estimator shares: plan from public parameters, sum rows exactly, release once."""

from __future__ import annotations

import copy
import difflib
import functools
import inspect
import os
import threading
import warnings
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._bounds import bounded_names, make_bound
from ._budget import make_budget
from ._errors import EigenveilError, NullReleaseError, PrivacyWarning, ResultWarning, whole
from ._guarantee import stated
from ._progress import Progress, drawing
from ._rows import FileSource, as_complex, as_pairs, checked_complex_rows, checked_rows, coordinate_names, dense_blocks, is_gram, is_sparse, open_source
from ._surroundings import steps_that_learned, void, warn_in_search
from .methods import Request, choose_method, takes_complex_rows

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}


@dataclass(frozen=True)
class ReadOptions:
    """How rows are read; everything here is public."""

    columns: list[str] = field(default_factory=list)
    refuse_missing: bool = False
    refuse_bad: bool = True
    header: str = "auto"
    separator: str = ""
    frequencies: list[float] | Mapping | None = None
    complex_rows: bool = False
    bounded_columns: list[str] = field(default_factory=list)  # names that bounds gives: how many columns there are, without looking
    words: dict[str, list[str]] = field(default_factory=dict)  # text columns and the words that count, of the option one_hot


class _Pass:
    """Rows summed so far, for one plan. Private until released."""

    def __init__(self, names, named, bound, plan, request, method, accumulator=None, statistic=None):
        self.names = names
        self.named = named
        self.bound = bound
        self.plan = plan
        self.request = request
        self.method = method
        self.accumulator = accumulator
        self.statistic = statistic
        self.parameters = {}  # of the estimator when the pass began

    def finish(self):
        """What was summed, which the pass keeps: a failed save can be tried again. No more rows can be added."""
        if self.statistic is None:
            self.statistic, self.accumulator = self.accumulator.finish(), None
        return self.statistic

    def take(self):
        """What was summed, which the pass forgets: what releases it is its only owner and can free it early."""
        if self.statistic is None:
            return self.accumulator.finish()
        statistic, self.statistic = self.statistic, None
        return statistic


def store_parameters(estimator, values):
    """The whole body of an ``__init__``: ``store_parameters(self, locals())``. scikit-learn reads the names from its signature."""
    for name, value in {**values, **values.get("shared", {})}.items():
        if name not in ("self", "__class__", "shared"):
            setattr(estimator, name, value)


# What other libraries call a parameter, and what a reader should know who brings it from there.
_ELSEWHERE = {
    "eps": "epsilon",
    "neighbors": "neighbours",
    "neighbor": "neighbours",
    "relation": "neighbours",
    "k": "n_components",
    "components": "n_components",
    "range": "bounds",
    "data_norm": "row_norm",
    "centered": "center",
    "n_jobs": "threads",
    "verbose": "progress",
    "random_state": "seed",
}
_SEED = " That is for tests and papers only: a seed makes the noise reproducible, so the result is NOT PRIVATE"


def unknown_parameter(what, name, known):
    """The refusal of a keyword that does not exist, with the one that was perhaps meant."""
    close = difflib.get_close_matches(name.lower(), known, 1)
    meant = _ELSEWHERE.get(name.lower()) if _ELSEWHERE.get(name.lower()) in known else (close[0] if close else None)
    hint = "" if meant is None else f"; did you mean '{meant}'?{_SEED if meant == 'seed' else ''}"
    return TypeError(f"{what} got an unexpected keyword argument '{name}'{hint}")


def checked_names(init):
    """For an ``__init__`` that writes all its parameters out: an unknown one is refused with a suggestion."""
    known = [name for name in inspect.signature(init).parameters if name != "self"]

    @functools.wraps(init)
    def checked(self, *args, **given):
        for name in given:
            if name not in known:
                raise unknown_parameter(f"{type(self).__name__}.__init__()", name, known)
        init(self, *args, **given)

    return checked


def shared_parameters(base):
    """For an ``__init__(self, own, *, more, **shared)``: the parameters of ``base`` stand in its signature as if they were written there.

    scikit-learn, ``help`` and notebooks read signatures, and two lists of twenty names would drift apart.
    """

    def extend(init):
        own = inspect.signature(init).parameters
        inherited = [p for name, p in inspect.signature(base.__init__).parameters.items() if name not in own]
        written = [p for p in own.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        defaults = {p.name: p.default for p in inherited}
        known = [p.name for p in (*written, *inherited) if p.name != "self"]

        @functools.wraps(init)
        def extended(self, *args, **given):
            for name in given:
                if name not in known:
                    raise unknown_parameter(f"{type(self).__name__}.__init__()", name, known)
            init(self, *args, **{**defaults, **given})

        extended.__signature__ = inspect.Signature([*written, *inherited])
        return extended

    return extend


class PrivateEstimator(BaseEstimator):
    """Base of the estimators, with the parameters that all second-moment releases share. ``__init__`` stores, ``fit`` checks."""

    _task = ""
    _neighbours = "add-remove"  # when nothing is said

    def __init__(
        self,
        *,
        epsilon=None,
        delta=None,
        rho=None,
        mu=None,
        bounds=None,
        row_norm=None,
        center="auto",
        neighbours=None,
        group_size=1,
        method="auto",
        method_options=None,
        standardize=False,
        columns=None,
        header="auto",
        separator=None,
        missing="midpoint",
        bad_cell="refuse",
        allele_frequencies=None,
        grid=None,
        threads=None,
        progress=False,
        seed=None,
    ):
        store_parameters(self, locals())

    # ---- the story -------------------------------------------------------------------------------------------------

    def fit(self, X, y=None):
        """Sum the rows exactly, release once, and forget the sums.

        Fitting again spends again: every call is a release of its own, and their guarantees compose.

        Parameters
        ----------
        X : array, sparse array, data frame, Arrow data, generator of such tables, or path
            The private rows. NumPy arrays of either order, memory-mapped ones too, are read in place; everything else goes block by block.
        y : ignored

        Returns
        -------
        self
        """
        with self._alone():
            self.__dict__.pop("_pass", None)
            try:
                self._read(X, whole=True)
                return self._release()
            finally:
                self.__dict__.pop("_pass", None)

    def partial_fit(self, X, y=None):
        """Add rows to the exact sums (or to what the method keeps instead). Nothing is spent or learned until :meth:`release`.

        Parameters
        ----------
        X : as in :meth:`fit`
        y : ignored

        Returns
        -------
        self
        """
        try:
            with self._alone():
                self._read(X, whole=False)
        except KeyboardInterrupt:
            self.__dict__.pop("_pass", None)  # nobody can know whether these rows are in
            raise
        return self

    def release(self):
        """Draw the noise once, set the attributes that end in ``_``, and forget the sums.

        Returns
        -------
        self
        """
        with self._alone():
            return self._release()

    def _release(self):
        current = self.__dict__.get("_pass")
        if current is None:
            raise EigenveilError("there is nothing to release: call fit, or partial_fit first (sums in a file are released by fit('sums.gram'))")
        self._check_unchanged(current)
        warn_in_search(self)
        learned = steps_that_learned(self)
        if self.seed is not None:
            warnings.warn("a seed makes the noise reproducible, so the result is NOT PRIVATE: for tests and papers only", PrivacyWarning, stacklevel=3)
        self.__dict__.pop("_pass", None)  # one draw from these sums, whatever happens
        released = self._release_pass(current)
        earlier = dict(self.__dict__)
        try:
            self._publish(current, released)
            if learned:
                self.guarantee_ = void(self, learned)
        except BaseException:
            self.__dict__ = earlier  # in one step: whole, whatever interrupts
            raise
        return self

    def save_gram(self, path):
        """Write the exact sums to a ``.gram`` file instead of releasing them, and forget them.

        The file is private data (mode 0600). ``eigenveil gram merge`` adds such files up; ``fit("all.gram")`` releases them.
        An existing file is not overwritten. If the file cannot be written, the sums stay.
        """
        with self._alone():
            current = self.__dict__.get("_pass")
            if current is None:
                raise EigenveilError("there is nothing to save: call partial_fit first")
            summed = current.accumulator if current.statistic is None else current.statistic
            if not isinstance(summed, (_core.ExactGram, _core.GramAccumulator, _core.RankedGram)):
                raise EigenveilError(f"method {current.method} keeps no sums that could be saved and merged")
            if os.path.lexists(path):
                raise EigenveilError("the file exists already, and its sums would be lost; give another name", "input-output")
            current.finish().save(os.fsdecode(path))
            self.__dict__.pop("_pass", None)

    def _release_pass(self, current):
        with drawing(self.progress, type(self).__name__, current.plan.draw_seconds):
            return current.plan.release(current.request, current.take(), self.seed)

    @contextmanager
    def _alone(self):
        """One call at a time: sums that two threads write, or release twice, would be worth nothing."""
        lock = self.__dict__.setdefault("_lock", threading.Lock())
        if not lock.acquire(blocking=False):
            raise EigenveilError("this estimator is in use by another thread; give every thread one of its own")
        try:
            yield
        finally:
            lock.release()

    # ---- parts -----------------------------------------------------------------------------------------------------

    def _request(self, names):
        """What the release depends on, for columns of these names."""
        if isinstance(self.center, str) and self.center not in ("auto", "none", "private"):
            raise EigenveilError("center must be 'auto', 'none', 'private', or a public vector with one number per column")
        unsaid = isinstance(self.center, str) and self.center == "auto" and self.allele_frequencies is None
        return Request(
            task=self._task,
            budget=make_budget(self.epsilon, self.delta, self.rho, self.mu),
            relation=self.neighbours or self._neighbours,
            group_size=whole(self.group_size, "group_size", 1),
            components=self._components(len(names)),
            columns=tuple(names),
            private_mean=None if unsaid else isinstance(self.center, str) and self.center == "private",
            scaled=bool(self.standardize),
            variance_share=getattr(self, "variance_share", None),
            within_subspace=getattr(self, "within_subspace", None),
            given_options=self.method_options,
        )

    def _components(self, dimension):
        return 1

    def _check_numbers(self):
        """Whole numbers, before any row is read."""
        limits = {"group_size": (1, 2**31 - 1), "grid": (1, 2**62), "seed": (0, 2**64 - 1), "threads": (0, 2**16), "rows": (1, 2**53)}
        for name, (least, most) in limits.items():
            if getattr(self, name, None) is not None:
                whole(getattr(self, name), name, least, most)

    def _check_unchanged(self, current):
        now = self.get_params(deep=False)
        for name, value in current.parameters.items():
            if name not in ("threads", "progress") and not _same(value, now[name]):
                raise EigenveilError(f"{name} was changed after rows were added; set it back, or start again with fit")

    def _options(self):
        legal = {"missing": ("midpoint", "refuse"), "bad_cell": ("refuse", "midpoint"), "header": ("auto", "present", "absent")}
        for name, words in legal.items():
            if getattr(self, name) not in words:
                raise EigenveilError(f"{name} must be {' or '.join(map(repr, words))}")
        if self.separator not in (None, *SEPARATORS):
            raise EigenveilError(f"separator must be {' or '.join(map(repr, SEPARATORS))}")
        frequencies = self.allele_frequencies
        if frequencies is not None and not hasattr(frequencies, "keys"):
            frequencies = [float(value) for value in np.asarray(frequencies, float).ravel()]
        if isinstance(self.columns, str):
            raise EigenveilError("columns is a list of names, not one name: columns=['name']")
        return ReadOptions(
            columns=[str(name) for name in (self.columns or [])],
            refuse_missing=self.missing == "refuse",
            refuse_bad=self.bad_cell == "refuse",
            frequencies=frequencies,
            header=self.header,
            bounded_columns=bounded_names(getattr(self, "bounds", None)),
            separator=SEPARATORS.get(self.separator, ""),
            complex_rows=bool((getattr(self, "method_options", None) or {}).get("complex_rows")),
        )

    def _read(self, X, whole):
        make_budget(self.epsilon, self.delta, self.rho, self.mu)  # before anything is opened
        self._check_numbers()
        if is_gram(X):
            self._load_gram(os.fsdecode(X))
            return
        current = self.__dict__.get("_pass")
        if current is not None:
            if current.accumulator is None:
                raise EigenveilError("these sums are complete (from a .gram file, or after save_gram): release or save them first")
            self._check_unchanged(current)
        options = self._options()
        source = self._open(X, options)
        if current is None:
            current = self._start(source, whole)
            current.parameters = copy.deepcopy(self.get_params(deep=False))
        elif source.names != current.names and len(source.names) != len(current.names):
            raise ValueError(
                f"X has {len(source.names)} features, but {type(self).__name__} is expecting {len(current.names)} features as input"
            )
        elif source.named and current.named and source.names != current.names:
            raise ValueError("The feature names should match those that were passed during the first call of partial_fit.")
        elif not isinstance(source, FileSource):
            source.names = current.names
        # A pass that stops anywhere below is forgotten: half of its rows, or rows that a second try adds again, must not be released.
        self.__dict__.pop("_pass", None)
        with Progress(self.progress, type(self).__name__) as progress:
            self._feed(source, current, options, progress)
        if not self.__sklearn_is_fitted__():  # an earlier release stays whole until the next one
            self._set_features(current)
        self._pass = current

    def _feed(self, source, current, options, progress):
        for again in range(getattr(current.plan, "passes", 1)):
            if again:
                current.accumulator.learn()
            source.feed(current.accumulator, options, progress)

    def _open(self, X, options):
        return open_source(X, options)

    def _start(self, source, whole):
        method, request = choose_method(self.method, self._request(source.names))
        bound = self._bound(method, request)
        if method.reads_twice:
            if not whole:
                raise EigenveilError(f"method {method.name} reads the rows twice: use fit, partial_fit sees them once")
            rows = source.count_rows()
            if rows is None:
                raise EigenveilError(f"method {method.name} reads the rows twice: give a table or a file, a stream can be read once")
            request = replace(request, rows=rows)
        plan = method.plan(request, bound)
        _say(request)
        accumulator = plan.accumulator(source, bound, self.threads, self.seed)
        return _Pass(source.names, source.named, bound, plan, request, method.name, accumulator)

    def _bound(self, method, request):
        """The bound of these columns, from public parameters alone."""
        center = None if self.center is None or isinstance(self.center, str) else self.center
        row_norm = self.row_norm
        if self.bounds is None and row_norm is None:
            row_norm = method.model_radius(request, len(request.columns))
        return make_bound(list(request.columns), self.bounds, row_norm, center, self.grid, self.allele_frequencies)

    def _load_gram(self, path):
        if self.bounds is not None or self.row_norm is not None or self.grid is not None or self.columns:
            raise EigenveilError("a .gram file carries its own bound and columns; leave bounds, row_norm, grid and columns out")
        if "_pass" in self.__dict__:
            raise EigenveilError("merge .gram files with `eigenveil gram merge` before they are released")
        gram = _core.ExactGram.load(path)
        method, request = choose_method(self.method, self._request(gram.columns))
        if method.reads_twice:
            raise EigenveilError(f"method {method.name} needs the rows themselves; a .gram file holds sums")
        self._pass = _Pass(gram.columns, True, gram.bound, method.plan(request, gram.bound), request, method.name, statistic=gram)
        self._pass.parameters = copy.deepcopy(self.get_params(deep=False))
        _say(request)

    def _publish(self, current, released):
        self._forget()
        self._set_features(current)
        self.guarantee_ = stated(released.guarantee, current.request.budget)
        self._gaps_filled = current.statistic is not None or self.missing != "refuse" or self.bad_cell != "refuse"
        self.missing_cells_ = _core.gaps_in_words(self._gaps_filled, not current.request.private_mean)
        self.method_ = current.method
        self.details_ = dict(getattr(released, "details", {}))
        self.is_null_ = hasattr(released, "null")
        if self.is_null_:
            self.null_reason_ = released.null
        self.row_norm_ = current.bound.radius
        if not np.isnan(released.noise_floor):  # not every method has one
            self.noise_floor_ = released.noise_floor
        midpoints, half_widths = current.bound.midpoints, current.bound.half_widths
        self.midpoint_ = midpoints
        self.scale_ = half_widths if current.request.scaled else np.ones(len(midpoints))
        self.center_ = midpoints + half_widths * released.mean if current.request.scaled else released.mean
        if current.request.private_mean:
            self.mean_ = self.center_
        if hasattr(released, "hermitian"):
            self.hermitian_ = released.hermitian
        if released.count is None:  # a prescribed spectrum spends nothing on the number of rows
            return
        if released.count_is_public:
            self.n_samples_ = int(round(released.count))
        else:
            self.noisy_count_ = released.count
            self.noisy_count_sd_ = released.count_sd

    def _forget(self):
        """Nothing of an earlier release stays."""
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            del self.__dict__[name]

    def _set_features(self, current):
        """Shape and names of the columns are public, so they are known from the first block on."""
        self.__dict__.pop("feature_names_in_", None)
        names = coordinate_names(current.names) if takes_complex_rows(current.request) else current.names
        self.n_features_in_ = len(names)
        if current.named:
            self.feature_names_in_ = np.asarray(names, dtype=object)

    def _row_blocks(self, X):
        """Rows to transform or score, as :meth:`_rows_in` gives them: a sparse table some rows at a time, any other as one block."""
        self._check_released()
        return map(self._rows_in, dense_blocks(X) if is_sparse(X) else (X,))

    def _rows_in(self, X):
        """Rows to transform or score: checked like scikit-learn does, missing cells at the public midpoint."""
        self._check_released()
        if len(self.center_) == 2 * self.n_features_in_:  # complex rows: pairs of real columns
            X = checked_complex_rows(self, X)
            return as_complex((as_pairs(X) - self.center_) / self.scale_)
        X = checked_rows(self, X)
        missing = np.isnan(X)
        if missing.any():
            X = np.where(missing, self.midpoint_.astype(X.dtype), X)
        # Row by row in memory, whatever frame the rows came in: BLAS sums another layout in another order.
        return np.ascontiguousarray((X - self.center_.astype(X.dtype)) / self.scale_.astype(X.dtype))

    def _check_released(self):
        check_is_fitted(self)
        if self.is_null_:
            raise NullReleaseError(f"the release is NULL: {self.null_reason_}. This is a legal outcome, and its budget is spent")

    def __sklearn_is_fitted__(self):
        return hasattr(self, "guarantee_")

    def __getstate__(self):
        if "_pass" in self.__dict__:
            raise EigenveilError("rows were added but not released: call release() first, or save_gram(path) to keep the exact sums")
        return {name: value for name, value in super().__getstate__().items() if name != "_lock"}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


def _say(request):
    """What the caller of fit should hear before a row is read; from public options alone."""
    if request.warning:
        warnings.warn(request.warning, ResultWarning, stacklevel=5)


def _same(one, other):
    """Whether two values of a parameter are equal; arrays and containers of them included."""
    if one is other:
        return True
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return type(one) is type(other) and one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return list(one) == list(other) and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_same, one, other))
    if hasattr(one, "equals"):
        return bool(one.equals(other))
    return bool(one == other) or bool(one != one and other != other)
