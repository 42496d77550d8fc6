"""The subspace in or near which private rows lie."""

from __future__ import annotations

import os
from types import SimpleNamespace

import numpy as np

from . import _core
from ._arrow import is_arrow_path
from ._budget import make_budget
from ._errors import EigenveilError, whole
from ._estimator import PrivateEstimator, _Pass, checked_names, store_parameters
from ._projection import ProjectionMixin, checked_components

_EXACT = ("gapmax", "votes")
_OTHER_ROWS = "the number of rows that came is not the one that was planned for (rows=N)"
_NEAR = ("core", "grid")


def subspace_budget(epsilon, delta, neighbours="replace-one"):
    """(epsilon, delta) for replacing one row: the only budget and relation of subspace learning."""
    if neighbours != "replace-one":
        raise EigenveilError(
            "a subspace is protected against replacing one row by any other (the row count is public); leave out neighbours or give 'replace-one'"
        )
    budget = make_budget(epsilon, delta)
    if not isinstance(budget, _core.ApproxDP):
        raise EigenveilError(
            "a subspace needs epsilon with delta: no pure budget can release one of infinitely many subspaces"
        )
    return budget


def make_plan(p, rows, dimension):
    """The plan of the parameters ``p`` for a table of this public size, and the number of boosted parts.

    With ``exact`` and ``rows=None``: only the refusals that do not depend on the number of rows.
    """
    budget = subspace_budget(p.epsilon, p.delta, p.neighbours)
    k = checked_components(p.n_components, dimension)
    for name in ("exceptions", "groups"):
        if getattr(p, name) is not None:
            whole(getattr(p, name), name, 0, 2**53)
    legal = _EXACT if p.exact else _NEAR
    if p.aggregate is not None and p.aggregate not in legal:
        raise EigenveilError(f"aggregate must be '{legal[0]}' or '{legal[1]}' with exact={bool(p.exact)}")
    if p.calibration not in ("tight", "published"):
        raise EigenveilError("calibration must be 'tight' or 'published'")
    published = p.calibration == "published"
    if not p.exact and (p.affine or published or p.exceptions is not None):
        raise EigenveilError("affine, exceptions and calibration='published' need exact=True")
    if p.exact and not (p.gamma is None and p.groups is None and p.failure_probability is None):
        raise EigenveilError("gamma, groups and failure_probability are not for exact=True")
    if p.exact:
        extra = 1 if p.affine else 0
        aggregate = p.aggregate or ""
        if rows is None:  # votes take any number of rows; gapmax refuses by it
            rows, aggregate, published = 1 << 40, "votes", False
        plan = _core.plan_exact_subspace(
            rows, dimension + extra, k + extra, budget.epsilon, budget.delta, aggregate, p.exceptions, whole(p.max_abs, "max_abs", most=2**62),
            published,
        )
        return plan, 1
    parts = 1 if p.failure_probability is None else _core.boosting_parts(float(p.failure_probability))
    plan = _core.plan_subspace(
        rows // parts, dimension, k, budget.epsilon, budget.delta, p.aggregate or "", p.gamma, p.groups, whole(p.references, "references", 0),
        float(p.cell_factor), float(p.radius_factor), float(p.largest_noise_angle),
    )
    return plan, parts


class PrivateSubspace(ProjectionMixin, PrivateEstimator):
    """The subspace in or near which the rows lie, with differential privacy for replacing any one row by any other.

    No bound on the rows is needed, and the number of rows it takes does not grow with the number of columns. The answer may be NULL: no
    subspace is shared by enough of the rows to be told at this budget.

    Parameters
    ----------
    n_components : int, default=1
        Dimension of the subspace.
    epsilon, delta : float
        The budget, both. There is no default: ``fit`` raises a message that says what to give.
    exact : bool, default=False
        The rows lie exactly in the subspace: whole numbers (text files may hold fractions), compared without rounding.
    affine : bool, default=False
        With ``exact``: the subspace need not contain the origin; ``center_`` is then its point nearest to it.
    aggregate : str, optional
        "core" (default) or "grid"; with ``exact`` "gapmax" or "votes" (default: by size).
    gamma : float, optional
        sqrt(lambda_(k+1) / lambda_k) that the data have at most; without it a ladder of values is searched privately, which costs budget.
    groups : int, optional
        Number of groups of rows (default: planned).
    references : int, default=4
        Reference points per direction.
    cell_factor : float, default=1.0
        Cell side over the default one (``aggregate="grid"``).
    radius_factor : float, default=1.0
        Radius over the default one (``aggregate="core"``).
    largest_noise_angle : float, default=0.7071...
        NULL is answered when the sine ``noise_angle`` (with ``aggregate="grid"`` the one the plan expects) is larger. The default is noise as
        large as the signal.
    failure_probability : float, optional
        Boosting: learn on disjoint parts of the rows and take what most agree on.
    angle : float, default=0.1
        Boosting: sine of the angle that counts as agreement.
    exceptions : int, optional
        "gapmax": rows that may lie elsewhere (default: as many as possible).
    max_abs : int, default=1000
        With ``exact``: public bound on the whole numbers; a row beyond it counts as zero.
    calibration : {"tight", "published"}, default="tight"
        "published": gapmax as Singhal and Steinke (2021) print it, which is NOT PRIVATE.
    rows : int, optional
        The public number of rows; needed by :meth:`partial_fit` and for streams that do not know it.
    neighbours : "replace-one"
        The only relation here.
    columns, header, separator, missing, bad_cell, threads, progress, seed
        As in :class:`PrivatePCA`; a row with a missing cell counts as the zero row, whatever ``missing`` other than "refuse" says.

    Attributes
    ----------
    is_null_ : bool
        Whether the answer is NULL: a legal outcome. There are then no components, and ``transform`` raises :class:`NullReleaseError`.
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows that span the subspace.
    center_ : ndarray of shape (n_features,)
        Zero, or with ``affine`` the point of the subspace nearest to the origin.
    echelon_ : list of list of str
        With ``exact``: the reduced row-echelon basis in fractions (with ``affine``: of the rows with a last coordinate 1).
    details_ : dict
        ``noise_angle``: sine of the angle by which noise may have turned the subspace (a bound, but for one run in a thousand); sizes of the
        plan.
    n_samples_ : int
        Public here.
    guarantee_, method_
        As in :class:`PrivatePCA`.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenveil import PrivateSubspace
    >>> plane = np.array([[1, 2, 0, 1], [0, 1, 1, 3]])
    >>> rows = np.random.default_rng(0).integers(-9, 10, size=(400, 2)) @ plane
    >>> found = PrivateSubspace(2, epsilon=1, delta=1e-6, exact=True).fit(rows)
    >>> found.is_null_, found.echelon_
    (False, [['1', '0', '-2', '-5'], ['0', '1', '1', '3']])
    >>> print(found.guarantee_)
    (1, 1e-06)-DP for replacing one row; holds for every data set (proved)
    """

    _task = "subspace"
    _charges = False

    @checked_names
    def __init__(
        self,
        n_components=1,
        *,
        epsilon=None,
        delta=None,
        exact=False,
        affine=False,
        aggregate=None,
        gamma=None,
        groups=None,
        references=4,
        cell_factor=1.0,
        radius_factor=1.0,
        largest_noise_angle=0.5**0.5,
        failure_probability=None,
        angle=0.1,
        exceptions=None,
        max_abs=1000,
        calibration="tight",
        rows=None,
        neighbours="replace-one",
        columns=None,
        header="auto",
        separator=None,
        missing="midpoint",
        bad_cell="refuse",
        threads=None,
        progress=False,
        seed=None,
    ):
        store_parameters(self, locals())

    # What the shared reading asks for and a subspace has none of.
    rho = mu = allele_frequencies = bounds = row_norm = grid = None

    def _load_gram(self, path):
        raise EigenveilError("a subspace needs the rows themselves; a .gram file holds sums")

    def _open(self, X, options):
        if self.exact and isinstance(X, (str, os.PathLike)) and not is_arrow_path(os.fsdecode(X)):
            return _ExactFile(os.fsdecode(X), options, bool(self.affine))
        return super()._open(X, options)

    def _start(self, source, whole):
        subspace_budget(self.epsilon, self.delta, self.neighbours)
        dimension = len(source.names)
        if self.exact:
            make_plan(self, None, dimension)
            points = source.points if isinstance(source, _ExactFile) else _core.ExactPoints(self.bad_cell == "refuse", bool(self.affine))
            return _Pass(source.names, source.named, None, None, None, "exact", points, points)
        rows = self.rows if self.rows is not None else (source.count_rows() if whole else None)
        if rows is None:
            raise EigenveilError("the number of rows must be known before they are read (it is public here): give rows=N, all calls together")
        plan, parts = make_plan(self, int(rows), dimension)
        learner = _core.SubspaceLearner(plan, parts, float(self.angle), self.threads or 0, self.seed)
        return _Pass(source.names, source.named, None, plan, SimpleNamespace(rows=int(rows), parts=parts), plan.aggregate, learner)

    def write_release(self, path, *, format="csv", replace=False, data_set="", date=""):
        """Not yet: the program writes subspaces (``eigenveil subspace --out``)."""
        raise EigenveilError("a subspace learned in Python is not written yet; `eigenveil subspace` with an output directory writes one")

    def save_gram(self, path):
        """Refused: a learner keeps no sums."""
        raise EigenveilError("a learner looks at rows in groups and keeps no sums that could be saved and merged")

    def _release_pass(self, current):
        if self.exact:
            if self.rows is not None and self.rows != current.accumulator.rows:
                raise EigenveilError(_OTHER_ROWS)
            plan, _ = make_plan(self, current.accumulator.rows, len(current.names))
            current.method = "published-gapmax" if self.calibration == "published" else f"exact-{plan.aggregate}"
            released = current.accumulator.run(plan, self.seed)
            details = {"sufficient_rows": plan.sufficient_rows, "exceptions": plan.exceptions}
            return SimpleNamespace(release=released, rows=current.accumulator.rows, details=details)
        learner, plan = current.accumulator, current.plan
        if learner.rows != current.asked.rows:
            raise EigenveilError(_OTHER_ROWS)
        released = learner.finish()
        details = {"groups": plan.groups, "rows_per_group": plan.rows_per_group, "parts": current.asked.parts}
        if not released.is_null:
            details.update(noise_angle=released.noise_angle, reference_noise_sd=released.noise_sd)
        return SimpleNamespace(release=released, rows=learner.rows, details=details)

    def _publish(self, current, released):
        self._forget()
        self._set_features(current)
        release = released.release
        self.guarantee_ = release.guarantee
        self.method_ = current.method
        self.details_ = released.details
        self.n_samples_ = released.rows
        self.is_null_ = release.is_null
        if self.is_null_:
            self.null_reason_ = "no subspace is shared by enough of the rows to be told at this budget"
            return
        frame = release.frame
        self.center_ = self.midpoint_ = np.zeros(len(current.names))
        self.scale_ = np.ones(len(current.names))
        if self.exact:
            self.echelon_ = release.echelon
            if self.affine:
                frame, self.center_ = affine_parts(frame)
        self.components_ = np.ascontiguousarray(frame.T)
        self.n_components_ = len(self.components_)


def affine_parts(frame):
    """Directions and nearest point of the affine subspace {x : (x, 1) in the span of ``frame``}.

    A rotation of the columns puts all of the last row w into one of them: the others are directions, and F w / |w|^2 has last coordinate 1.
    """
    last = frame[-1]
    length2 = float(last @ last)
    if length2 == 0.0:  # a linear subspace at infinity holds no point (x, 1)
        return frame[:-1], np.zeros(len(frame) - 1)
    turn, _ = np.linalg.qr(last[:, None], mode="complete")
    return frame[:-1] @ turn[:, 1:], frame[:-1] @ last / length2


class _ExactFile:
    """A file of exact points, fractions included: read whole."""

    named = True

    def __init__(self, path, options, affine):
        self.points = _core.ExactPoints(options.refuse_bad, affine)
        self.points.add_file(path, options.columns, options.refuse_missing, options.refuse_bad, options.header, options.separator)
        self.names = self.points.columns

    def feed(self, accumulator, options, progress):
        if accumulator is not self.points:
            raise EigenveilError("exact points of a file are read by fit; partial_fit takes arrays")
