"""The subspace in or near which private rows lie."""

from __future__ import annotations

import os

import numpy as np

from . import _core
from ._arrow import is_arrow_path
from ._errors import EigenveilError
from ._estimator import PrivateEstimator
from ._ledger import ledger_of
from ._parameters import shared_parameters, store_parameters
from ._projection import ProjectionMixin, checked_components
from ._rows import open_source

_OPTIONS = (
    "exact", "affine", "aggregate", "gamma", "groups", "references", "cell_factor", "radius_factor", "largest_noise_angle", "failure_probability", "angle",
    "exceptions", "max_abs", "calibration",
)  # fmt: skip

_ROWS = "the number of rows must be known before they are read (it is public here): give rows=N, all calls together"


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
    references : int, optional
        Reference points per direction (default 4).
    cell_factor : float, optional
        Cell side over the default one (``aggregate="grid"``).
    radius_factor : float, optional
        Radius over the default one (``aggregate="core"``).
    largest_noise_angle : float, optional
        NULL is answered when the sine ``noise_angle`` (with ``aggregate="grid"`` the one the plan expects) is larger. The default, 0.707, is noise as
        large as the signal.
    failure_probability : float, optional
        Boosting: learn on disjoint parts of the rows and take what most agree on.
    angle : float, optional
        Boosting: sine of the angle that counts as agreement (default 0.1).
    exceptions : int, optional
        "gapmax": rows that may lie elsewhere (default: as many as possible).
    max_abs : int, optional
        With ``exact``: public bound on the whole numbers (default 1000); a row beyond it counts as zero.
    calibration : {"tight", "published"}, optional
        "published": gapmax as Singhal and Steinke (2021) print it, which is NOT PRIVATE.
    rows : int, optional
        The public number of rows; needed by :meth:`partial_fit` and for streams that do not know it.
    neighbours : {"replace-one"}, optional
        The only relation here.
    missing : {"midpoint", "refuse"}, default="midpoint"
        A row with a missing cell counts as the zero row, or stops the run.
    columns, exclude, header, separator, decimal, encoding, bad_cell, threads, progress, seed, ledger
        As in :class:`PrivatePCA`.

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

    @shared_parameters(PrivateEstimator, "epsilon delta neighbours columns exclude header separator decimal encoding bad_cell threads progress seed ledger")
    def __init__(
        self,
        n_components=1,
        *,
        exact=False,
        affine=False,
        aggregate=None,
        gamma=None,
        groups=None,
        references=None,
        cell_factor=None,
        radius_factor=None,
        largest_noise_angle=None,
        failure_probability=None,
        angle=None,
        exceptions=None,
        max_abs=None,
        calibration=None,
        rows=None,
        missing="midpoint",
        **shared,
    ):
        store_parameters(self, locals())

    # What the shared parts ask for and a subspace has none of.
    rho = mu = method_options = people = None
    center, method, group_size, standardize, anyway = "auto", "auto", 1, False, False

    def _own_options(self):
        return {name: value for name in _OPTIONS if (value := getattr(self, name)) is not False}

    def _components(self, dimension):
        return checked_components(self.n_components, dimension)

    def _load_gram(self, path):
        raise EigenveilError("a subspace needs the rows themselves; a .gram file holds sums")

    def _open(self, X, options):
        if self.exact and isinstance(X, (str, os.PathLike)) and not is_arrow_path(os.fsdecode(X)):
            return _ExactFile(os.fsdecode(X), options, bool(self.affine), ledger_of(self.ledger) is not None)
        return super()._open(X, options)

    def _not_counted(self, method, whole):
        return _ROWS

    def save_gram(self, path):
        """Refused: a learner keeps no sums."""
        raise EigenveilError("a learner looks at rows in groups and keeps no sums that could be saved and merged")

    def _publish(self, current, document):
        self._forget()
        self._set_released(current, document)
        if self.is_null_:
            return
        frame, columns = document.table("subspace"), len(current.columns)
        self.center_ = self.midpoint_ = np.zeros(columns)
        self.scale_ = np.ones(columns)
        if "echelon_rows" in document.result:
            self.echelon_ = [row.split() for row in document.result["echelon_rows"]]
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
    """A file of exact points, fractions included: read whole. With a ledger only its columns are looked at before it is charged."""

    named = True
    can_be_read_again = False

    def __init__(self, path, options, affine, charged):
        self._read = lambda: _core.exact_points(path, options.spec, options.format, affine)
        self._points = None if charged else self._read()
        self.schema = open_source(path, options).schema if charged else self._points.schema
        self.names = self.schema.columns

    def feed(self, session, options, progress):
        session.add_points(self._read() if self._points is None else self._points)
