"""orbit: several components, or a rank-k second moment, drawn on a unitary orbit; pure epsilon."""

from __future__ import annotations

import numpy as np

from .. import _core
from .._errors import EigenveilError
from .method import DrawnPlan, Method, Plan, add_components, variance_share


class OrbitMethod(Method):
    name = "orbit"
    tasks = ("pca", "covariance", "lowrank")
    budgets = "pure epsilon"
    takes_variance_share = True
    options = {"calibration": "tight", "eigenvalue_share": None, "unbounded_time": False}

    def plan(self, request, bound):
        if request.private_mean:
            raise EigenveilError(
                "method orbit draws from second moments about a public centre and releases no mean; leave out center='private', or take "
                "method='laplace'"
            )
        common = (bound, request.budget, request.relation, request.group_size)
        published, unbounded = request.options.calibration == "published", bool(request.options.unbounded_time)
        if request.task == "pca":
            if request.options.eigenvalue_share is not None:
                raise EigenveilError("eigenvalue_share belongs to a low-rank matrix or a covariance; components take variance_share")
            return ComponentsPlan(
                _core.plan_orbit_components(*common, variance_share(request), request.components, request.scaled, published, unbounded), bound
            )
        if request.variance_share is not None:
            raise EigenveilError("variance_share belongs to PrivatePCA; a low-rank matrix takes the option eigenvalue_share")
        rank = bound.dimension if request.task == "covariance" else request.components
        plan = _core.plan_low_rank(*common, rank, request.scaled, published, unbounded, request.options.eigenvalue_share)
        return LowRankPlan(plan, bound, rank)


class ComponentsPlan(DrawnPlan):
    def facts(self, request, rows, spectrum):
        facts = {"exponent": self._plan.exponent, "noise_sd_variance": self._plan.product_sd / rows, "noise_sd_rows": self._plan.count_sd}
        if spectrum is not None and self._plan.exponent > 0:
            facts["predicted_error_f2"] = self._plan.predicted_error(spectrum, rows)
        return facts


class LowRankPlan(Plan):
    def __init__(self, plan, bound, rank):
        super().__init__(plan, bound)
        self._rank = rank

    def facts(self, request, rows, spectrum):
        return {"noise_sd_eigenvalue": self._plan.eigenvalue_sd * self._plan.norm2 / rows, "noise_sd_rows": self._plan.count_sd}

    def release(self, request, gram, seed):
        release = self._plan.run(gram, seed)
        matrix = release.matrix(self._plan.norm2)
        values, vectors = np.linalg.eigh(matrix)
        values, vectors = values[: -self._rank - 1 : -1], vectors[:, : -self._rank - 1 : -1]
        noise = self._plan.eigenvalue_sd * self._plan.norm2 / max(release.count, 1.0)
        released = self.published(request, release.guarantee, noise, release.count, release.count_sd, release.count_sd == 0)
        if request.task == "covariance":
            released.covariance = released.covariance_raw = matrix
            released.eigenvalues = values
            return released
        signs = np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(self._rank)])
        released.low_rank = matrix
        return add_components(released, vectors * signs, np.maximum(values, 0.0), None, noise)


ORBIT = OrbitMethod()
