"""The cost before it is paid: noise, predicted error and guarantee from public numbers."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass, field, replace
from html import escape
from types import SimpleNamespace
from typing import Any

from . import _core
from ._budget import make_budget
from ._covariance import PrivateCovariance
from ._engine import has_option, job_text, numbers
from ._errors import EigenveilError, in_python, whole
from ._estimator import PrivateEstimator
from ._guarantee import guarantee_of, stated
from ._histograms import asked_bounds, asked_scores, counts_job
from ._ledger import ledger_of
from ._low_rank import PrivateLowRank
from ._masked import MaskedData
from ._parameters import shared_parameters, unknown_parameter
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
    return whole(rows, "rows", 1, 2**50)


def _spectrum(spectrum):
    return None if spectrum is None else numbers("spectrum", spectrum)


def _asked(estimator, rows, names, spectrum, **more):
    """What the engine answers to an estimator's own parameters, as it answers every face."""
    job = {**estimator._job(names), "rows": _rows(rows), "columns": names, "spectrum": spectrum, **more}
    return json.loads(_core.plan(job_text(job), describe(estimator, names)))


def _planned(estimator, rows, dimension, spectrum=None):
    """The plan of an estimator's own parameters."""
    plan = _as_plan(estimator._task, _asked(estimator, rows, _columns(dimension, estimator.columns), spectrum))
    budget = make_budget(estimator.epsilon, estimator.delta, estimator.rho, estimator.mu, needed=False)
    if plan.guarantee is None or budget is None:
        return plan
    place = ledger_of(estimator.ledger)
    lines = () if place is None else (("ledger", in_python(_core.ledger_outlook(place.path, plan.task, plan.method, plan.guarantee, budget, estimator.seed is not None))),)
    return replace(plan, guarantee=stated(plan.guarantee, budget), lines=(*plan.lines, *lines))


def _as_plan(task, said):
    """A plan from what the engine says."""
    guarantee = said["guarantee"] and guarantee_of(json.dumps(said["guarantee"]))
    facts = {name: in_python(value) if isinstance(value, str) else value for name, value in said["facts"].items()}
    lines = tuple((line["label"], in_python(line["text"])) for line in said["lines"])
    return Plan(task, facts.get("method", said.get("method")), guarantee, facts.get("row_norm"), facts, in_python(said["warning"]), lines, said["title"])


def _made(kind, plan, parameters):
    """The estimator whose parameters a plan was given; one that neither has is met with the name that was meant."""
    known = [name for called in (kind, plan) for name in inspect.signature(called).parameters if name != "parameters"]
    for name in parameters:
        if name not in known:
            raise unknown_parameter(f"{plan.__name__}()", name, known)
    return kind(**parameters)


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
    pca = _made(PrivatePCA, plan_pca, parameters)
    own, spectrum = {"beta": beta}, _spectrum(spectrum)
    if dimension is None and pca.columns is None and spectrum is not None:
        dimension = len(spectrum)
    if has_option(pca.method, "data_spectrum") and spectrum is not None:  # whose spectrum is that of standardised data
        own["data_spectrum"], spectrum = spectrum, None
    pca.method_options = {**own, **(pca.method_options or {})}
    return _planned(pca, rows, dimension, spectrum)


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
    return _planned(_made(PrivateCovariance, plan_covariance, parameters), rows, dimension, spectrum)


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
    return _planned(_made(PrivateLowRank, plan_low_rank, parameters), rows, dimension, spectrum)


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
    return _planned(_made(MaskedData, plan_mask, parameters), rows, dimension)


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
    return _planned(_made(PrivateSubspace, plan_subspace, parameters), rows, dimension)


def _of_counts(task, rows, shared, neighbours, **counts):
    """The plan of a histogram with noise."""
    asked = SimpleNamespace(**shared, neighbours=neighbours, threads=None, seed=None, ledger=None)
    table = describe(SimpleNamespace(person=asked.person, rows_per_person=asked.rows_per_person))
    return _as_plan(task, json.loads(_core.plan(counts_job(asked, rows=_rows(rows), **counts), table)))


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

    words: str = field(default="", repr=False)

    def __str__(self):
        return self.words

    def _repr_html_(self) -> str:
        rows = [(m.name, f"{m.total_f2 ** 0.5:.4f}" if m.available else "-", m.relation, f"{m.basis}; {m.note}") for m in self.methods]
        rows.append(("without privacy", f"{self.sampling_error_f2 ** 0.5:.4f}", "", ""))
        body = "".join("<tr>" + "".join(f"<td style='text-align:left'>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        head = "".join(f"<th style='text-align:left'>{word}</th>" for word in ("method", "error", "neighbours", "rests on"))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{escape(self.reason)}</p>"


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
    pca = _made(PrivatePCA, compare_pca, parameters)
    spectrum = _spectrum([] if spectrum is None else spectrum)
    found = _asked(pca, rows, _columns(len(spectrum), pca.columns), spectrum, compare=True)
    if "methods" not in found:
        raise EigenveilError("spectrum is missing: the eigenvalues that are assumed")
    methods = [
        ComparedMethod(m["method"], m.get("total_error_f2", 0.0), m.get("predicted_error_f2", 0.0), "total_error_f2" in m, m["relation"], m["basis"], in_python(m["note"]), m.get("null_share", 0.0), m["under_a_model"])
        for m in found["methods"]
    ]  # fmt: skip
    return Comparison(methods, found["sampling_error_f2"], found["recommended"], in_python(found["reason"]), in_python(found["in_words"]))
