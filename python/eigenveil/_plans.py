"""The cost before it is paid: noise, predicted error and guarantee from public numbers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html import escape
from types import SimpleNamespace
from typing import Any

import numpy as np

from . import _core
from ._budget import make_budget
from ._covariance import PrivateCovariance
from ._engine import has_option, job_text
from ._errors import EigenveilError, in_python, whole
from ._estimator import PrivateEstimator
from ._guarantee import stated
from ._histograms import asked_bounds, asked_scores, counts_job
from ._ledger import ledger_of
from ._low_rank import PrivateLowRank
from ._masked import MaskedData
from ._parameters import shared_parameters
from ._pca import PrivatePCA
from ._subspace import PrivateSubspace
from ._table import describe


@dataclass(frozen=True)
class Plan:
    """What a release would cost and show. No data was read.

    Attributes
    ----------
    task, method : str
    guarantee : Guarantee
        What the release would promise.
    row_norm : float or None
        The bound on a row, in scaled units; None where no bound is needed.
    facts : dict
        What ``eigenveil plan --json`` prints: noise, predicted error; also available as attributes. ``draw_seconds``: about how long an exact draw
        takes, where it takes long.
    warning : str
        What a user should know about the result, or nothing.
    lines : tuple of (str, str)
        The plan in words, as ``eigenveil plan`` prints it; ``str(plan)`` shows them.
    """

    task: str
    method: str
    guarantee: _core.Guarantee | None
    row_norm: float | None
    facts: dict[str, Any] = field(default_factory=dict)
    warning: str = ""
    lines: tuple[tuple[str, str], ...] = ()
    title: str = ""

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["facts"][name]
        except KeyError:
            raise AttributeError(name) from None

    def __str__(self):
        width = max((len(what) for what, _ in self.lines), default=0)
        return "\n".join([self.title, *(f"  {what:<{width}}   {words}" for what, words in self.lines)])

    def _repr_html_(self) -> str:
        cells = "".join(f"<tr><th style='text-align:left'>{escape(what)}</th><td style='text-align:left'>{escape(words)}</td></tr>" for what, words in self.lines)
        return f"<table><caption>{escape(self.title)}</caption><tbody>{cells}</tbody></table>"


def _columns(dimension, columns):
    names = [str(name) for name in columns] if columns is not None else [f"c{j + 1}" for j in range(int(dimension or 0))]
    if not names:
        raise EigenveilError("give dimension=P, or columns with the names")
    return names


def _rows(rows):
    return whole(rows, "rows", 1, 2**53)


def _spectrum(spectrum):
    if spectrum is None:
        return None
    spectrum = np.sort(np.asarray(spectrum, float).ravel())[::-1].copy()
    if not (len(spectrum) and np.isfinite(spectrum).all() and spectrum[-1] >= 0):
        raise EigenveilError("spectrum must hold finite eigenvalues that are not negative")
    return spectrum


def _planned(estimator, rows, dimension, spectrum=None, budget_needed=True):
    """The plan of an estimator's own parameters, as the engine gives it to every face."""
    rows, names = _rows(rows), _columns(dimension, estimator.columns)
    spec = describe(estimator, names)
    job = job_text({**estimator._job(names, budget_needed), "rows": None})
    method, title, lines, facts, warning, guarantee = _core.outlook(job, spec, _core.Schema(names, True), rows, _spectrum(spectrum))
    charged, facts = guarantee, {name: in_python(value) if isinstance(value, str) else value for name, value in json.loads(facts).items()}
    budget = make_budget(estimator.epsilon, estimator.delta, estimator.rho, estimator.mu, budget_needed)
    if guarantee is not None and budget is not None:
        guarantee = stated(guarantee, budget)
    place = ledger_of(estimator.ledger)
    if place is not None and guarantee is not None and budget is not None:
        cost = _core.ledger_outlook(place.path, estimator._task, method, charged, budget, estimator.seed is not None)
        lines = [*lines, ("ledger", cost)]
    lines = tuple((what, in_python(words)) for what, words in lines)
    return Plan(estimator._task, facts.get("method", method), guarantee, facts.get("row_norm"), facts, in_python(warning), lines, title)


def plan_pca(rows, dimension=None, *, spectrum=None, beta=None, **parameters):
    """Noise, predicted error and guarantee of :class:`PrivatePCA`, before any data is read.

    Parameters
    ----------
    rows, dimension : int
        Assumed size of the table; ``columns`` (names) may be given instead of ``dimension``.
    spectrum : array of shape (dimension,), optional
        Assumed eigenvalues of the covariance in scaled units, for the predicted error (method "sharp": of rows with squared norm at most the
        number of columns). From public knowledge, or the plan is for your eyes only.
    beta : float, optional
        Method "sharp": the noise level itself instead of a budget; ``guarantee`` is None where theory gives it none.
    **parameters
        Those of :class:`PrivatePCA`.

    Returns
    -------
    Plan

    Examples
    --------
    >>> from eigenveil import plan_pca
    >>> plan = plan_pca(20000, 12, n_components=3, epsilon=1, delta=1e-6, bounds=(0, 10))
    >>> plan.method, round(plan.noise_sd_off_diagonal, 5)
    ('gauss', 0.00221)
    """
    pca = PrivatePCA(**parameters)
    own, spectrum = {"beta": beta}, _spectrum(spectrum)
    if dimension is None and pca.columns is None and spectrum is not None:
        dimension = len(spectrum)
    if has_option(pca.method, "data_spectrum") and spectrum is not None:  # whose spectrum is that of standardised data
        own["data_spectrum"], spectrum = spectrum, None
    pca.method_options = {**own, **(pca.method_options or {})}
    return _planned(pca, rows, dimension, spectrum, budget_needed=beta is None)


def plan_covariance(rows, dimension=None, *, spectrum=None, **parameters):
    """Noise and guarantee of :class:`PrivateCovariance`, before any data is read.

    Parameters
    ----------
    rows, dimension, spectrum
        As in :func:`plan_pca`; method "orbit" predicts errors from the spectrum.
    **parameters
        Those of :class:`PrivateCovariance`.

    Returns
    -------
    Plan

    Examples
    --------
    >>> from eigenveil import plan_covariance
    >>> plan_covariance(1000, 4, epsilon=1, bounds=(0, 1)).method
    'wishart'
    """
    return _planned(PrivateCovariance(**parameters), rows, dimension, spectrum)


def plan_low_rank(rows, dimension=None, *, spectrum=None, **parameters):
    """Noise and guarantee of :class:`PrivateLowRank`, before any data is read.

    Parameters
    ----------
    rows, dimension, spectrum
        As in :func:`plan_pca`. With a spectrum, a plan of method "orbit" has a ``recommended_method``: it or the default method of the budget.
    **parameters
        Those of :class:`PrivatePCA`, as :class:`PrivateLowRank` takes them.

    Returns
    -------
    Plan

    Examples
    --------
    >>> from eigenveil import plan_low_rank
    >>> plan_low_rank(10000, 6, n_components=2, epsilon=1, row_norm=1).method
    'wishart'
    """
    return _planned(PrivateLowRank(**parameters), rows, dimension, spectrum)


def plan_mask(rows, dimension=None, **parameters):
    """All noises a masked release could have, each with the relation it belongs to, and the guarantee of :class:`MaskedData`.

    Parameters
    ----------
    rows, dimension : int
        As in :func:`plan_pca`.
    **parameters
        Those of :class:`MaskedData`.

    Returns
    -------
    Plan
        ``sigma_asked`` (what :class:`MaskedData` would use), ``sigma`` (zero-row), ``sigma_replace_one``, ``sigma_published`` and, without a mask,
        ``unmasked_sigma_necessary``, ``_sufficient``, ``_analytic``: standard deviations on every cell, in scaled units;
        ``gram_noise_sd_gauss``: on a sum of squares over all rows, by method "gauss".

    Examples
    --------
    >>> from eigenveil import plan_mask
    >>> round(plan_mask(10_000, 20, epsilon=0.1, delta=0.001, row_norm=1).sigma, 3)
    0.352
    """
    return _planned(MaskedData(**parameters), rows, dimension)


def plan_subspace(rows, dimension, **parameters):
    """Group sizes, reach and guarantee of :class:`PrivateSubspace`, before any data is read.

    Parameters
    ----------
    rows, dimension : int
        Assumed size of the table.
    **parameters
        Those of :class:`PrivateSubspace`.

    Returns
    -------
    Plan
        With ``exact``: ``sufficient_rows``, ``lower_bound_rows``, ``exceptions``, ``noise_bound``. Otherwise ``groups``, ``rows_per_group``,
        ``largest_gamma``, ``agreement`` and, when ``gamma`` is given, ``predicted_angle``.

    Examples
    --------
    >>> from eigenveil import plan_subspace
    >>> plan_subspace(1000, 50, n_components=2, epsilon=1, delta=1e-6, exact=True).sufficient_rows <= 1000
    True
    """
    return _planned(PrivateSubspace(**parameters), rows, dimension)


def _of_counts(task, rows, shared, neighbours, **counts):
    """The plan of a histogram with noise."""
    asked = SimpleNamespace(**shared, neighbours=neighbours, threads=None, seed=None, ledger=None)
    table = describe(SimpleNamespace(person=asked.person, rows_per_person=asked.rows_per_person))
    _, title, lines, facts, warning, guarantee = _core.counts_outlook(counts_job(asked, rows=_rows(rows), **counts), table)
    lines, facts = tuple((what, in_python(words)) for what, words in lines), json.loads(facts)
    return Plan(task, facts["method"], guarantee, None, facts, in_python(warning), lines, title)


@shared_parameters(PrivateEstimator, "columns epsilon delta rho mu group_size person rows_per_person")
def plan_bounds(rows, dimension=None, *, neighbours="add-remove", outside=0.001, row_norm=None, **shared):
    """What :func:`private_bounds` would resolve, and when it pays, before any data is read.

    Parameters
    ----------
    rows, dimension : int
        Assumed size of the table; ``columns`` (names) may be given instead of ``dimension``.
    neighbours : {"add-remove", "replace-one"}, default="add-remove"
        What one person can change.
    columns, epsilon, delta, rho, mu, group_size, outside, row_norm, person, rows_per_person
        As in :func:`private_bounds`.

    Returns
    -------
    Plan
        ``noise_sd_count``; ``hidden_rows_in_one_cell`` and ``hidden_rows_in_256_cells``, so many rows may lie outside of a range; ``pays_from_width``.

    Examples
    --------
    >>> from eigenveil import plan_bounds
    >>> plan_bounds(20000, 12, mu=0.2).hidden_rows_in_one_cell < 200
    True
    """
    if row_norm not in (None, "private"):
        raise EigenveilError("row_norm must be 'private': a norm that is known goes to the estimator")
    columns = _columns(dimension, shared["columns"])
    return _of_counts("bounds", rows, shared, neighbours, columns=columns, bounds=asked_bounds(outside, None, row_norm))


@shared_parameters(PrivateEstimator, "epsilon delta rho mu group_size person rows_per_person")
def plan_scores(rows, *, cells=20, label=None, neighbours="add-remove", **shared):
    """Which cells of :func:`private_scores` would show, before any data is read.

    Parameters
    ----------
    rows : int
        Assumed number of rows.
    cells, label, epsilon, delta, rho, mu, neighbours, group_size, person, rows_per_person
        As in :func:`private_scores`.

    Returns
    -------
    Plan
        ``noise_sd_count``; ``count_limits`` (95%); ``shown_from``, which noise alone passes anywhere in the picture with probability 5%;
        ``shown_share_if_normal``, of the people, were both scores normal.

    Examples
    --------
    >>> from eigenveil import plan_scores
    >>> 3.6 < plan_scores(20000, mu=1).shown_from < 3.7
    True
    """
    return _of_counts("scores", rows, shared, neighbours, scores=asked_scores(cells, label))


@dataclass(frozen=True)
class ComparedMethod:
    """One method's predicted error in a :class:`Comparison`."""

    name: str
    total_f2: float
    error_f2: float
    available: bool
    relation: str
    basis: str
    note: str
    null_share: float
    under_a_model: bool

    @classmethod
    def _of(cls, compared):
        values = {name: getattr(compared, name) for name in cls.__dataclass_fields__}
        return cls(**{**values, "note": in_python(compared.note)})


@dataclass(frozen=True)
class Comparison:
    """Predicted errors of every method at one budget. No data was read.

    Attributes
    ----------
    methods : list of ComparedMethod
        Best first: ``name``, ``total_f2`` (E |UU' - VV'|_F^2, sampling included), ``error_f2`` (from the noise), ``available``, ``relation``,
        ``basis``, ``note``.
    sampling_error_f2 : float
        What the sample itself costs, without privacy.
    recommended : str or None
        The best method that holds for every data set and the neighbours asked for; within 5% the strongest basis, then gauss.
    reason : str
        Why, in words.
    """

    methods: list[ComparedMethod]
    sampling_error_f2: float
    recommended: str | None
    reason: str

    def _lines(self):
        for method in self.methods:
            error = f"{method.total_f2 ** 0.5:.4f}" if method.available else "-"
            yield method.name, error, _RELATIONS.get(method.relation, method.relation), f"{_BASES.get(method.basis, method.basis)}; {method.note}"

    def __str__(self):
        lines = [f"  {'method':<16}{'error':>10}  {'protects against':<30} rests on"]
        lines += [f"  {name:<16}{error:>10}  {relation:<30} {rest}" for name, error, relation, rest in self._lines()]
        return "\n".join([*lines, f"  {'without privacy':<16}{self.sampling_error_f2 ** 0.5:10.4f}", f"  {_ERROR}", f"  {self.reason}"])

    def _repr_html_(self) -> str:
        rows = [*self._lines(), ("without privacy", f"{self.sampling_error_f2 ** 0.5:.4f}", "", "")]
        body = "".join("<tr>" + "".join(f"<td style='text-align:left'>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        head = "".join(f"<th style='text-align:left'>{word}</th>" for word in ("method", "error", "protects against", "rests on"))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{escape(_ERROR)}. {escape(self.reason)}</p>"


_ERROR = "error: predicted distance between the released and the true projector (Frobenius norm), sampling included"
_RELATIONS = {
    "add-remove": "adding or removing a row",
    "replace-one": "replacing a row",
    "zero-row": "setting a row to the midpoint",
    "independent-copy": "an independent copy of a row",
}
_BASES = {
    "proved": "proved",
    "proved-real-arithmetic": "proved for real arithmetic",
    "asymptotic": "theory for many rows, no proof for yours",
    "model-probability": "a model of the rows",
}


def compare_pca(rows, spectrum, **parameters):
    """Which method to take: the predicted error of every one at the same budget (``plan pca --compare``).

    Parameters
    ----------
    rows : int
        Assumed number of rows.
    spectrum : array of shape (dimension,)
        Assumed eigenvalues of the covariance in scaled units, from public knowledge.
    **parameters
        Those of :class:`PrivatePCA`; every method is taken with its default options.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from eigenveil import compare_pca
    >>> compare_pca(20000, [9, 4, 1, 1, 1, 1], n_components=2, epsilon=1, delta=1e-6, row_norm=6).recommended
    'gauss'
    """
    pca = PrivatePCA(**parameters)
    spectrum = _spectrum(spectrum)
    names = _columns(0 if spectrum is None else len(spectrum), pca.columns)
    spec = describe(pca, names)
    compared = _core.compare_methods(job_text(pca._job(names)), spec, _core.Schema(names, True), _rows(rows), spectrum)
    methods = [ComparedMethod._of(method) for method in compared.methods]
    return Comparison(methods, compared.sampling_f2, compared.recommended, in_python(compared.reason))
