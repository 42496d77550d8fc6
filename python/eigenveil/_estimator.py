"""What every private estimator shares: plan from public parameters, sum rows exactly, release once."""

from __future__ import annotations

import copy
import os
import threading
import warnings
from collections.abc import Mapping
from contextlib import contextmanager

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._budget import budget_numbers
from ._engine import job_text, left_to_details, plain, requested
from ._errors import EigenveilError, NullReleaseError, PrivacyWarning, ResultWarning, in_python
from ._guarantee import stated
from ._ledger import check_nothing_learned, check_public_shape, ledger_keys
from ._parameters import same, store_parameters
from ._progress import Progress, drawing
from ._rows import FileSource, as_complex, as_pairs, checked_complex_rows, checked_rows, coordinate_names, dense_blocks, is_gram, is_sparse, open_source
from ._shards import Gram, totals_of
from ._surroundings import steps_that_learned, void, warn_in_search
from ._table import describe, reading


class Pass:
    """Rows taken in so far by a session of the engine. Private until released."""

    def __init__(self, session, named, source=None, spec=None, statistic=None):
        self.session = session
        self.columns = session.columns  # that results speak of
        self.named = named
        self.names = self.columns if source is None else source.names  # as they are read
        self.spec = spec
        self.statistic = statistic  # sums that are complete
        self.parameters = {}  # of the estimator when the pass began

    def finish(self):
        """What was summed, which the pass keeps: a failed save can be tried again. No more rows can be added."""
        if self.statistic is None:
            self.statistic = self.session.take_sums()
        return self.statistic

    def end_block(self):
        """The rows that come next are another block of the table."""
        if self.statistic is None:
            self.session.end_block()
        else:
            self.session.add_totals(self.statistic)


class PrivateEstimator(BaseEstimator):
    """Base of the estimators, with the parameters that all second-moment releases share. ``__init__`` stores, ``fit`` checks.

    Attributes
    ----------
    midpoint_, scale_ : ndarray of shape (n_features,)
        What a missing cell counts as, and the units of ``components_``: rows are divided by it.
    row_norm_ : float
        The bound on a row, in scaled units.
    missing_cells_ : str
        What was done about them.
    guarantee_, method_, details_, is_null_, null_reason_, n_samples_, center_, mean_, noise_floor_, hermitian_, noisy_count_, noisy_count_sd_
        As in :class:`PrivatePCA`; not every method has all.
    """

    _task = ""

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
        decimal=None,
        encoding="utf-8",
        missing="midpoint",
        pairwise=None,
        bad_cell="refuse",
        allele_frequencies=None,
        exclude=None,
        one_hot=None,
        project=None,
        projected_norm=None,
        outside_norm=None,
        normalise_rows=False,
        person=None,
        rows_per_person=None,
        weights=None,
        weight_bound=None,
        people=None,
        anyway=False,
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
        released, settled = self._release_pass(current)
        earlier = dict(self.__dict__)
        try:
            self._publish(current, released)
            self._settled = settled
            if learned:
                self.guarantee_ = void(self, learned)
            self._lock_arrays()
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
        return self._document.write(
            os.fsdecode(path), format == "npy", bool(replace), str(data_set), str(date), self.threads or 0, self._settled
        )

    def save_gram(self, path):
        """Write the exact sums to a ``.gram`` file instead of releasing them, and forget them.

        The file is private data (mode 0600). ``eigenveil gram merge`` adds such files up; ``fit("all.gram")`` releases them.
        An existing file is not overwritten. If the file cannot be written, the sums stay. Sums with ``weights`` or ``missing="pairwise"``, or of a
        ``person`` under replace-one, are not saved: the file could not say so. Sums of people merge with nobody else's, who may be the same; shards of
        people are made by :func:`partial`.
        """
        with self._alone():
            current = self.__dict__.get("_pass")
            if current is None:
                raise EigenveilError("there is nothing to save: call partial_fit first")
            counted = self.person is not None and self.neighbours not in (None, "add-remove")
            if counted or self.weights is not None or self.missing == "pairwise":
                raise EigenveilError(
                    "a .gram file does not say that rows were weighted or counted in columns of their own, so a release of it would promise what is not true: "
                    "release these sums here; without weights and missing='pairwise', and of people with neighbours='add-remove', they can be saved"
                )
            if os.path.lexists(path):
                raise EigenveilError("the file exists already, and its sums would be lost; give another name", "input-output")
            current.finish().save(os.fsdecode(path))
            self.__dict__.pop("_pass", None)

    def _release_pass(self, current):
        """The document, and the hash by which a ledger knows it; of an earlier run under the same key, the same bits."""
        session = current.session
        if current.statistic is not None and not session.found_again:
            session.add_totals(current.statistic)
        with drawing(self.progress, type(self).__name__, session.draw_seconds):
            return session.finish()

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

    def _job(self, names):
        """What the release depends on, for columns of these names, as a job of the engine."""
        if isinstance(self.center, str) and self.center not in ("auto", "none", "private"):
            raise EigenveilError("center must be 'auto', 'none', 'private', or a public vector with one number per column")
        components = self._components(len(names))
        counts = self._counts()
        asked = requested(
            self._task,
            self.method,
            {**self._own_options(), **self._method_options()},
            **counts.pop("request"),
            neighbours=self.neighbours,
            components=None if components == 1 else components,  # the default is no statement about their number
            center={"auto": "unsaid"}.get(self.center, self.center) if isinstance(self.center, str) else "none" if self.center is None else "public",
            units="scaled" if self.standardize else "original",
        )
        return {**asked, **counts}

    def _counts(self):
        """The part of the job that is known before columns are: the budget and whole numbers, which the engine checks."""
        counts = {name: plain(name, value) for name in ("rows", "people", "seed", "threads") if (value := getattr(self, name, None)) is not None}
        request = {"budget": budget_numbers(self.epsilon, self.delta, self.rho, self.mu), "group_size": plain("group_size", self.group_size)}
        return {**counts, "request": {name: value for name, value in request.items() if value is not None}, "anyway": bool(self.anyway), "threads": counts.get("threads") or None}

    def _session(self, spec, names):
        """The release of these rows on its way, as far as its method and its ledger."""
        check_nothing_learned(self)
        return _core.Session(job_text({**self._job(names), **ledger_keys(self.ledger, getattr(self, "bounds", None))}), spec)

    def _method_options(self):
        if self.method_options is not None and not isinstance(self.method_options, Mapping):
            raise EigenveilError("method_options must be a mapping from names of options to their values")
        return self.method_options or {}

    def _own_options(self):
        """Parameters of the estimator that are options of methods; None was not given."""
        correlation = getattr(self, "correlation", False)
        if not isinstance(correlation, (bool, np.bool_)):
            raise EigenveilError("correlation must be True or False")
        return {**{name: getattr(self, name, None) for name in ("variance_share", "within_subspace")}, "correlation": bool(correlation) or None}

    def _components(self, dimension):
        return None

    def _check_unchanged(self, current):
        now = self.get_params(deep=False)
        for name, value in current.parameters.items():
            if name not in ("threads", "progress") and not same(value, now[name]):
                raise EigenveilError(f"{name} was changed after rows were added; set it back, or start again with fit")

    def _read(self, X, whole):
        self._method_options()  # before anything is opened
        _core.check_job(job_text(self._counts()))
        if is_gram(X):
            self._load_gram(X)
            return
        check_public_shape(X, self.header, self.ledger)
        current = self.__dict__.get("_pass")
        if current is not None:
            if current.statistic is not None:
                raise EigenveilError("these sums are complete (from a .gram file, or after save_gram): release or save them first")
            self._check_unchanged(current)
        options = reading(self, None if current is None else current.spec)
        source = self._open(X, options)
        if current is None:
            current = self._start(source, options, whole)
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
        if not current.session.found_again:
            with Progress(self.progress, type(self).__name__) as progress:
                self._feed(source, current, options, progress)
        if not self.__sklearn_is_fitted__():  # an earlier release stays whole until the next one
            self._set_features(current)
        self._pass = current

    def _feed(self, source, current, options, progress):
        source.feed(current.session, options, progress)
        while current.session.wants_rows_again():
            source.feed(current.session, options, progress)

    def _open(self, X, options):
        return open_source(X, options)

    def _start(self, source, options, whole):
        """A pass that is planned and, with a ledger, charged."""
        session = self._session(describe(self, source.names, options.spec), source.names)
        again = whole and source.can_be_read_again
        if session.wants_row_count and not again:
            raise EigenveilError(self._not_counted(session.method, whole))
        session.begin(source.schema, again, source.stated_rows if again else None)
        rows = source.count_rows() if session.wants_row_count and not session.found_again else None
        if not session.found_again:
            self._plan(session, rows)
        return Pass(session, source.named, source, options.spec)

    def _plan(self, session, rows=None):
        """Noise and guarantee, then the charge; in between what the caller of fit should hear before a row is read, from public options alone."""
        session.plan(rows)
        for sentence in session.warnings:
            warnings.warn(in_python(sentence), ResultWarning, stacklevel=5)
        session.charge()

    def _not_counted(self, method, whole):
        return f"method {method} reads the rows twice: " + (
            "give a table or a file, a stream can be read once" if whole else "use fit, partial_fit sees them once"
        )

    def _load_gram(self, source):
        if "_pass" in self.__dict__:
            raise EigenveilError("merge .gram files with `eigenveil gram merge` before they are released")
        # Public; the totals are looked at once a ledger was charged.
        schema, bound = source.head() if isinstance(source, Gram) else _core.gram_head(os.fsdecode(source))
        session = self._session(describe(self, schema.columns), schema.columns)
        session.begin_totals(schema, bound)
        self._plan(session)
        gram = None
        if not session.found_again:
            gram = totals_of(source)
            if gram.schema != schema or gram.bound != bound:
                raise EigenveilError("the .gram file was replaced while it was read")
        self._pass = Pass(session, True, statistic=gram)
        self._pass.parameters = copy.deepcopy(self.get_params(deep=False))

    def _publish(self, current, document):
        """Attributes of what was released; every number is in the document, and was drawn under its guarantee."""
        self._forget()
        self._set_released(current, document)
        said, found = document.parameters, document.result
        scaled = said["units"].startswith("scaled")
        self.row_norm_, cells = current.session.bound.radius, current.session.cells
        self.midpoint_, half_widths = cells.midpoints, cells.half_widths
        self.scale_ = half_widths if scaled else np.ones(len(self.midpoint_))
        if "noisy_column_deviations" in found and said["units"].startswith("standardised"):  # components of correlations
            self.scale_ = np.nan_to_num(np.asarray(found["noisy_column_deviations"]), nan=1.0)  # a column left out has no loading
        self.center_ = self.midpoint_
        if "noisy_mean" in found:
            self._set_mean(found["noisy_mean"], current.session, scaled)
        floor = found.get("noise_floor", np.max(found["noise_edge"]) if "noise_edge" in found else found.get("variance_noise_sd"))
        if floor is not None:  # not every method has one
            self.noise_floor_ = float(floor)
        if "hermitian_real" in document.tables:
            self.hermitian_ = document.table("hermitian_real") + 1j * document.table("hermitian_imaginary")

    def _set_released(self, current, document):
        """What every release says of itself."""
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
        rows = found.get("rows", said.get("rows"))
        if rows is not None:
            self.n_samples_ = int(round(rows))
        elif "noisy_rows" in found:  # a prescribed spectrum spends nothing on the number of rows
            self.noisy_count_, self.noisy_count_sd_ = found["noisy_rows"], found["noisy_rows_sd"]

    def _set_mean(self, mean, table, scaled):
        """The private mean in the units of the columns."""
        if table.basis is not None and "loadings" not in self._document.tables:  # coordinates in a public basis
            self.mean_ = self.center_ = self.midpoint_ + self.scale_ * (table.basis @ mean)
        elif table.normalised:
            self.mean_ = mean  # of rows of norm 1 about the centre, which stays what rows are measured from
        else:
            self.mean_ = self.center_ = self.midpoint_ + self.scale_ * mean if scaled else mean

    def _forget(self):
        """Nothing of an earlier release stays."""
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            del self.__dict__[name]

    def _set_features(self, current):
        """Shape and names of the columns are public, so they are known from the first block on."""
        self.__dict__.pop("feature_names_in_", None)
        names = coordinate_names(current.columns) if (self.method_options or {}).get("complex_rows") else current.columns
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

    def _lock_arrays(self):
        """What was released cannot be written to: the files of the release would say something else than ``transform`` does."""
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray) and name.endswith("_") and not name.startswith("_"):
                value.flags.writeable = False

    def __setstate__(self, state):
        super().__setstate__(state)
        self._lock_arrays()

    def _check_released(self):
        check_is_fitted(self)
        if self.is_null_:
            raise NullReleaseError(f"the release is NULL: {self.null_reason_}. This is a legal outcome, and its budget is spent")

    def __sklearn_is_fitted__(self):
        return hasattr(self, "guarantee_")

    def __getstate__(self):
        if "_pass" in self.__dict__:
            raise EigenveilError("rows were added but not released: call release() first, or save_gram(path) to keep the exact sums")
        return {name: value for name, value in super().__getstate__().items() if name not in ("_lock", "_stream")}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags
