"""orbit: several components, or a rank-k second moment, drawn on a unitary orbit; pure epsilon."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np

from .. import _core
from .._errors import EigenveilError
from .method import DrawnPlan, Method, Plan, add_components, variance_share


class OrbitMethod(Method):
    name = "orbit"
    tasks = ("pca", "covariance", "lowrank")
    budgets = "pure epsilon"
    takes_variance_share = True
    options = {
        "calibration": "tight",
        "eigenvalue_share": None,
        "target_spectrum": None,
        "complex_rows": False,
        "hermitian": False,
        "unbounded_time": False,
    }

    def adjusted(self, request):
        # A prescribed spectrum is one of scaled units.
        return request if request.options.target_spectrum is None else replace(request, scaled=True)

    def plan(self, request, bound):
        if request.private_mean:
            raise EigenveilError(
                "method orbit draws from second moments about a public centre and releases no mean; leave out center='private', or take "
                "method='laplace'"
            )
        common = (bound, request.budget, request.relation, request.group_size)
        options = request.options
        how = (options.calibration == "published", bool(options.unbounded_time), bool(options.complex_rows))
        if options.target_spectrum is not None:
            return self._target(request, bound, common, how)
        if request.task == "pca":
            if request.options.eigenvalue_share is not None:
                raise EigenveilError("eigenvalue_share belongs to a low-rank matrix or a covariance; components take variance_share")
            return ComponentsPlan(
                _core.plan_orbit_components(*common, variance_share(request), request.components, request.scaled, *how), bound
            )
        if request.variance_share is not None:
            raise EigenveilError("variance_share belongs to PrivatePCA; a low-rank matrix takes the option eigenvalue_share")
        coordinates = bound.dimension // 2 if options.complex_rows else bound.dimension
        rank = coordinates if request.task == "covariance" else request.components
        plan = _core.plan_low_rank(*common, rank, request.scaled, *how, options.eigenvalue_share)
        return LowRankPlan(plan, bound, rank)

    def _target(self, request, bound, common, how):
        if request.task != "lowrank":
            raise EigenveilError("target_spectrum belongs to PrivateLowRank")
        if request.options.eigenvalue_share is not None or request.variance_share is not None:
            raise EigenveilError("target_spectrum needs no budget for eigenvalues; leave out eigenvalue_share and variance_share")
        spectrum = np.sort(np.asarray(request.options.target_spectrum, float).ravel())[::-1].copy()
        if not (np.isfinite(spectrum).all() and len(spectrum) and spectrum[-1] >= 0):
            raise EigenveilError("target_spectrum must hold finite eigenvalues that are not negative")
        if request.components not in (1, len(spectrum)):
            raise EigenveilError(f"n_components and target_spectrum disagree: it has {len(spectrum)} eigenvalues; leave out n_components")
        return TargetPlan(_core.plan_orbit_target(*common, spectrum, *how), bound)


class ComponentsPlan(DrawnPlan):
    @property
    def draw_seconds(self):
        return self._plan.draw_seconds

    def release(self, request, gram, seed):
        self._complex = request.options.complex_rows
        release = self._plan.run(gram, seed)
        released = self.drawn(request, release)
        if request.options.hermitian:
            released.hermitian = release.hermitian()
        return released

    def _components(self, release):
        return release.complex_components() if self._complex else release.components()

    def facts(self, request, rows, spectrum):
        return _plan_facts(self._plan, request, rows, spectrum)


class LowRankPlan(Plan):
    def __init__(self, plan, bound, rank):
        super().__init__(plan, bound)
        self._rank = rank

    @property
    def draw_seconds(self):
        return self._plan.draw_seconds

    def facts(self, request, rows, spectrum):
        return _plan_facts(self._plan, request, rows, spectrum)

    def release(self, request, gram, seed):
        release = self._plan.run(gram, seed)
        is_complex = request.options.complex_rows
        matrix = release.hermitian(self._plan.norm2) if is_complex else release.matrix(self._plan.norm2)
        noise = self._plan.eigenvalue_sd * self._plan.norm2 / max(release.count, 1.0)
        released = self.published(request, release.guarantee, noise, release.count, release.count_sd, release.count_sd == 0)
        if request.options.hermitian or is_complex:
            released.hermitian = release.hermitian(self._plan.norm2)
        if request.task == "covariance":
            released.covariance = released.covariance_raw = matrix
            released.eigenvalues = np.linalg.eigvalsh(matrix)[::-1].copy()
            return released
        return _add_low_rank(released, matrix, self._rank, noise)


class TargetPlan(Plan):
    """The nearest matrix with a public spectrum: directions are private, and no budget goes to eigenvalues or the number of rows."""

    @property
    def draw_seconds(self):
        return self._plan.draw_seconds

    def facts(self, request, rows, spectrum):
        return {**_plan_facts(self._plan, request, rows, spectrum), "target_spectrum": self._plan.spectrum}

    def release(self, request, gram, seed):
        release = self._plan.run(gram, seed)
        released = self.published(request, release.guarantee, 0.0, None)
        matrix = release.hermitian() if request.options.complex_rows else release.matrix()
        if request.options.hermitian or request.options.complex_rows:
            released.hermitian = release.hermitian()
        return _add_low_rank(released, matrix, len(self._plan.spectrum), 0.0)


def _plan_facts(plan, request, rows, spectrum):
    """The numbers that ``eigenveil plan --json`` prints; what a Plan has anyway is left out."""
    facts = json.loads(plan.facts(request.task, rows, np.empty(0) if spectrum is None else spectrum))
    return {name: value for name, value in facts.items() if name not in ("task", "method", "guarantee", "in_words", "row_norm")}


def _add_low_rank(released, matrix, rank, noise):
    """The matrix and its eigenvectors; the largest entry of each is made positive."""
    values, vectors = np.linalg.eigh(matrix)
    values, vectors = values[: -rank - 1 : -1], vectors[:, : -rank - 1 : -1]
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(rank)]
    released.low_rank = matrix
    return add_components(released, vectors * (np.abs(largest) / largest), np.maximum(values, 0.0), None, noise)


ORBIT = OrbitMethod()
