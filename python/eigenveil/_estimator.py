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
from dataclasses import dataclass, field

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._bounds import bounded_names, make_bound
from ._engine import ask, left_to_details
from ._budget import make_budget
from ._errors import EigenveilError, NullReleaseError, PrivacyWarning, ResultWarning, in_python, whole
from ._guarantee import stated
from ._ledger import Charge, ledger_of
from ._progress import Progress, drawing
from ._rows import FileSource, as_complex, as_pairs, checked_complex_rows, checked_rows, coordinate_names, dense_blocks, is_gram, is_sparse, is_text, open_source
from ._shards import Gram, totals_of
from ._surroundings import steps_that_learned, void, warn_in_search

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
    """Rows taken in so far, for one plan. Private until released."""

    def __init__(self, names, named, bound, plan, asked, method, accumulator=None, statistic=None):
        self.names = names
        self.named = named
        self.bound = bound
        self.plan = plan
        self.asked = asked
        self.method = method
        self.accumulator = accumulator
        self.statistic = statistic
        self.from_file = statistic is not None  # a .gram file: nobody knows what was done about its gaps
        self.parameters = {}  # of the estimator when the pass began
        self.charge = None  # its way past a ledger

    def finish(self):
        """What was summed, which the pass keeps: a failed save can be tried again. No more rows can be added."""
        if self.statistic is None:
            self.statistic, self.accumulator = self.accumulator.finish(), None
        return self.statistic



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
    _charges = True  # to a ledger

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
        ledger=None,
    ):
        store_parameters(self, locals())

    # ---- the story -------------------------------------------------------------------------------------------------

    def fit(self, X, y=None):
        """Sum the rows exactly, release once, and forget the sums.

        Fitting again spends again: every call is a release of its own, and their guarantees compose. With ``ledger`` it is charged before a row is
        read, and nothing comes back when the fit fails.

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
        """Add rows to the exact sums (or to what the method keeps instead). Nothing is learned until :meth:`release`; nothing is spent until then
        either, but for a ``ledger``, which is charged before the first row.

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
        if current.charge is not None:
            current.charge.settle(released)
        earlier = dict(self.__dict__)
        try:
            self._publish(current, released)
            self._settled = "" if current.charge is None else current.charge.settled
            if learned:
                self.guarantee_ = void(self, learned)
        except BaseException:
            self.__dict__ = earlier  # in one step: whole, whatever interrupts
            raise
        return self

    def write_release(self, path, *, format="csv", replace=False, data_set="", date=""):
        """Write the release as the program does with ``--out``: ``release.json``, its arrays and ``report.html``, whole or not at all.

        The files are those of the command line, byte for byte; ``eigenveil explain`` and :func:`read_release` read them. It costs nothing: what is
        written was released by ``fit``. A release that is not private (``seed``) says so in its file names.

        Parameters
        ----------
        path : path
            A new or empty directory.
        format : {"csv", "npy"}, default="csv"
            Of the arrays.
        replace : bool, default=False
            The directory may hold an earlier release and nothing else; that release is then lost.
        data_set, date : str, optional
            A public name of the table, and a date in your words, to stand in the release; never filled in.

        Returns
        -------
        list of str
            Names of the files.
        """
        check_is_fitted(self)
        if format not in ("csv", "npy"):
            raise EigenveilError("format must be 'csv' or 'npy'")
        if self._document.guarantee.basis != self.guarantee_.basis:
            raise EigenveilError("a step of the pipeline was fitted on the private rows: the files would claim a guarantee that does not hold")
        return self._document.write(os.fsdecode(path), format == "npy", bool(replace), str(data_set), str(date), self._settled)

    def save_gram(self, path):
        """Write the exact sums to a ``.gram`` file instead of releasing them, and forget them.

        The file is private data (mode 0600). ``eigenveil gram merge`` adds such files up; ``fit("all.gram")`` releases them.
        An existing file is not overwritten. If the file cannot be written, the sums stay.
        """
        with self._alone():
            current = self.__dict__.get("_pass")
            if current is None:
                raise EigenveilError("there is nothing to save: call partial_fit first")
            if os.path.lexists(path):
                raise EigenveilError("the file exists already, and its sums would be lost; give another name", "input-output")
            current.finish().save(os.fsdecode(path))
            self.__dict__.pop("_pass", None)

    def _release_pass(self, current):
        if current.charge is not None and current.charge.found is not None:
            return current.charge.found  # of an earlier run under the same key: the same bits
        with drawing(self.progress, type(self).__name__, current.plan.draw_seconds):
            if current.statistic is None:
                return current.accumulator.release()
            return current.plan.release(current.statistic, self.seed)

    @contextmanager
    def _alone(self):
        """One call at a time: sums that two threads write, or release twice, would be worth nothing."""
        self._check_ledger()
        lock = self.__dict__.setdefault("_lock", threading.Lock())
        if not lock.acquire(blocking=False):
            raise EigenveilError("this estimator is in use by another thread; give every thread one of its own")
        try:
            yield
        finally:
            lock.release()

    # ---- parts -----------------------------------------------------------------------------------------------------

    def _check_ledger(self):
        """An estimator that cannot be charged is refused where a ledger is named, so that nothing is spent behind its back."""
        if not self._charges and ledger_of(getattr(self, "ledger", None)) is not None:
            raise EigenveilError(
                f"{type(self).__name__} cannot be charged to a ledger yet; release with the program, or leave the ledger out (unset "
                "EIGENVEIL_LEDGER), whose promise then does not cover it"
            )

    def _asked(self, names, budget_needed=True):
        """What the release depends on, for columns of these names, and the method that serves it."""
        if isinstance(self.center, str) and self.center not in ("auto", "none", "private"):
            raise EigenveilError("center must be 'auto', 'none', 'private', or a public vector with one number per column")
        options = {"variance_share": getattr(self, "variance_share", None), "within_subspace": getattr(self, "within_subspace", None)}
        return ask(
            self._task,
            self.method,
            make_budget(self.epsilon, self.delta, self.rho, self.mu, budget_needed),
            self.neighbours or self._neighbours,
            whole(self.group_size, "group_size", 1),
            self._components(len(names)),
            self.center if isinstance(self.center, str) else "none" if self.center is None else "public",
            self.allele_frequencies is not None,
            bool(self.standardize),
            {**options, **(self.method_options or {})},
        )

    def _components(self, dimension):
        return None

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
            self._load_gram(X)
            return
        if self.header == "auto" and is_text(X) and ledger_of(self.ledger) is not None:
            raise EigenveilError("with a ledger nothing is read before the budget is reserved: give header='present' or header='absent'")
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
        if current.charge is None or current.charge.found is None:
            with Progress(self.progress, type(self).__name__) as progress:
                self._feed(source, current, options, progress)
        if not self.__sklearn_is_fitted__():  # an earlier release stays whole until the next one
            self._set_features(current)
        self._pass = current

    def _feed(self, source, current, options, progress):
        source.feed(current.accumulator, options, progress)
        while getattr(current.accumulator, "wants_rows_again", bool)():
            source.feed(current.accumulator, options, progress)

    def _open(self, X, options):
        return open_source(X, options)

    def _start(self, source, whole):
        asked = self._asked(source.names)
        bound = self._bound(asked, source.names)
        charge = Charge.of(self)
        rows = None
        if asked.needs_row_count:
            if not whole:
                raise EigenveilError(f"method {asked.method} reads the rows twice: use fit, partial_fit sees them once")
            if charge is not None:
                charge.before_counting(asked, source.schema, bound)
            rows = source.count_rows()
            if rows is None:
                raise EigenveilError(f"method {asked.method} reads the rows twice: give a table or a file, a stream can be read once")
        plan = asked.plan(source.schema, bound, rows)
        _say(asked)
        if charge is not None:
            charge.before_rows(plan)
        current = _Pass(source.names, source.named, bound, plan, asked, asked.method, _core.Run(plan, self.threads or 0, self.seed))
        current.charge = charge
        return current

    def _bound(self, asked, names, rows=None):
        """The bound of these columns, from public parameters alone; a method's model may give it."""
        center = None if self.center is None or isinstance(self.center, str) else self.center
        bounds, row_norm = self.bounds, self.row_norm
        if bounds is None and row_norm is None:
            row_norm = asked.model_radius(len(names), rows)
        if bounds is None and asked.ranks:
            bounds = (-1, 1)  # where ranks lie
        return make_bound(list(names), bounds, row_norm, center, self.grid, self.allele_frequencies)

    def _load_gram(self, source):
        if self.bounds is not None or self.row_norm is not None or self.grid is not None or self.columns:
            raise EigenveilError("a .gram file carries its own bound and columns; leave bounds, row_norm, grid and columns out")
        if "_pass" in self.__dict__:
            raise EigenveilError("merge .gram files with `eigenveil gram merge` before they are released")
        # Public; the totals are looked at once a ledger was charged.
        schema, bound = source.head() if isinstance(source, Gram) else _core.gram_head(os.fsdecode(source))
        asked = self._asked(schema.columns)
        if asked.reads_rows:
            raise EigenveilError(f"method {asked.method} needs the rows themselves; a .gram file holds sums")
        plan = asked.plan(schema, bound, None)
        charge = Charge.of(self)
        if charge is not None:
            charge.before_rows(plan)
        gram = totals_of(source)
        if gram.schema != schema or gram.bound != bound:
            raise EigenveilError("the .gram file was replaced while it was read")
        self._pass = _Pass(schema.columns, True, bound, plan, asked, asked.method, statistic=gram)
        self._pass.charge = charge
        self._pass.parameters = copy.deepcopy(self.get_params(deep=False))
        _say(asked)

    def _publish(self, current, document):
        """Attributes of what was released; every number is in the document, and was drawn under its guarantee."""
        self._forget()
        self._set_features(current)
        self._document = document
        said, found = document.parameters, document.result
        self.guarantee_ = stated(document.guarantee, document.requested)
        self.missing_cells_ = said["missing_cells"]
        self.method_ = document.method
        self.details_ = left_to_details(said, found)
        self.is_null_ = bool(document.null_reason)
        if self.is_null_:
            self.null_reason_ = document.null_reason
        scaled = said["units"].startswith("scaled")
        self.row_norm_ = current.bound.radius
        self.midpoint_, half_widths = current.bound.midpoints, current.bound.half_widths
        self.scale_ = half_widths if scaled else np.ones(len(self.midpoint_))
        if "noisy_column_deviations" in found and said["units"].startswith("standardised"):  # components of correlations
            self.scale_ = np.nan_to_num(np.asarray(found["noisy_column_deviations"]), nan=1.0)  # a column left out has no loading
        self.center_ = self.midpoint_
        if "noisy_mean" in found:
            self.mean_ = self.center_ = self.midpoint_ + half_widths * found["noisy_mean"] if scaled else found["noisy_mean"]
        floor = found.get("noise_floor", np.max(found["noise_edge"]) if "noise_edge" in found else found.get("variance_noise_sd"))
        if floor is not None:  # not every method has one
            self.noise_floor_ = float(floor)
        if "hermitian_real" in document.tables:
            self.hermitian_ = document.table("hermitian_real") + 1j * document.table("hermitian_imaginary")
        rows = found.get("rows", said.get("rows"))
        if rows is not None:
            self.n_samples_ = int(round(rows))
        elif "noisy_rows" in found:  # a prescribed spectrum spends nothing on the number of rows
            self.noisy_count_, self.noisy_count_sd_ = found["noisy_rows"], found["noisy_rows_sd"]

    def _forget(self):
        """Nothing of an earlier release stays."""
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            del self.__dict__[name]

    def _set_features(self, current):
        """Shape and names of the columns are public, so they are known from the first block on."""
        self.__dict__.pop("feature_names_in_", None)
        names = coordinate_names(current.names) if getattr(current.asked, "complex_rows", False) else current.names
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


def _say(asked):
    """What the caller of fit should hear before a row is read; from public options alone."""
    if asked.warning:
        warnings.warn(in_python(asked.warning), ResultWarning, stacklevel=5)


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
