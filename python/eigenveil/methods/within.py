"""subspace: learn a subspace with part of the budget, and release the second moment inside it with the rest; may answer NULL."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .. import _core
from .._errors import EigenveilError, whole
from .method import Method, Plan, add_components


class WithinMethod(Method):
    name = "subspace"
    tasks = ("pca", "covariance")
    budgets = "(epsilon, delta), with within_subspace"
    options = {"subspace_share": 0.5, "gamma": None}
    reads_twice = True

    def adjusted(self, request):
        return replace(request, scaled=True)

    def plan(self, request, bound):
        if request.within_subspace is None:
            raise EigenveilError("method subspace needs within_subspace=K")
        subspace = whole(request.within_subspace, "within_subspace", 1, 1000)
        if request.task == "pca" and request.components > subspace:
            raise EigenveilError("n_components must not exceed within_subspace")
        if request.private_mean:
            raise EigenveilError("within_subspace works about the public midpoint; leave out center")
        if request.group_size != 1:
            raise EigenveilError("within_subspace protects one row; leave out group_size")
        if request.relation != "replace-one":
            raise EigenveilError(
                "within_subspace protects against replacing one row by any other, and the row count is public: say so with "
                "neighbours='replace-one'"
            )
        if not isinstance(request.budget, _core.ApproxDP):
            raise EigenveilError("a subspace needs epsilon with delta: no pure budget can release one of infinitely many subspaces")
        share, gamma = float(request.options.subspace_share), request.options.gamma
        if not 0 < share < 1:
            raise EigenveilError("subspace_share must lie strictly between 0 and 1")
        budget = request.budget
        plan = _core.plan_within(bound, request.rows, subspace, budget.epsilon, budget.delta, share, None if gamma is None else float(gamma))
        return WithinPlan(plan, bound)


class WithinPlan(Plan):
    passes = 2

    def accumulator(self, source, bound, threads, seed):
        return _core.WithinPass(self._plan, threads or 0, seed)

    def facts(self, request, rows, spectrum):
        return {
            "groups": self._plan.groups,
            "rows_per_group": self._plan.rows_per_group,
            "largest_gamma": self._plan.largest_gamma(0.1),
            "noise_sd_variance": self._plan.product_sd / rows,
        }

    def release(self, request, release, seed):
        details = {"groups": self._plan.groups, "rows_per_group": self._plan.rows_per_group, "noise_sd_diagonal": self._plan.product_sd}
        if release.is_null:
            released = self.published(request, release.guarantee, np.nan, self._plan.rows, details=details)
            released.null = "no subspace is shared by enough of the rows to be told at this budget"
            return released
        details["noise_angle"] = release.noise_angle
        inside = release.covariance
        frame, raw = release.frame, inside.raw
        released = self.published(request, release.guarantee, inside.noise_floor, self._plan.rows, details=details)
        released.subspace = np.ascontiguousarray(frame.T)
        if request.task == "covariance":
            released.covariance_inside = inside.psd
            released.covariance = frame @ released.covariance_inside @ frame.T
            released.covariance_raw = frame @ raw @ frame.T
            released.eigenvalues = inside.eigenvalues
            return released
        components = release.components(request.components)
        return add_components(released, components.loadings, components.explained_variance, None, components.noise_edge)


SUBSPACE = WithinMethod()
