"""gauss and laplace: noise on the exact second moment, then post-processing."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from .. import _core
from .method import Method, Plan


class MomentMethod(Method):
    """Both additive mechanisms; they differ in the law of the noise and in the budgets they meet."""

    def __init__(self, name, tasks, budgets):
        self.name = name
        self.tasks = tasks
        self.budgets = budgets

    def plan(self, request, bound):
        return MomentPlan(
            _core.plan_moment(self.name, bound, request.budget, request.relation, request.private_mean, request.group_size)
        )


class MomentPlan(Plan):
    """Noise and guarantee; made without data."""

    def __init__(self, plan):
        self._plan = plan
        self.guarantee = plan.guarantee

    def facts(self, request, rows, spectrum):
        facts = {
            "noise_sd_diagonal": self._plan.product_sd / rows,
            "noise_sd_off_diagonal": self._plan.off_diagonal_sd / rows,
            "noise_sd_rows": self._plan.count_sd,
            "noise_floor": self._plan.noise_floor(request.scaled, rows),
        }
        if request.task == "pca" and spectrum is not None:
            facts["predicted_error_f2"] = _core.predicted_subspace_error(
                spectrum, request.components, self._plan.off_diagonal_sd / rows
            )
        return facts

    def release(self, request, gram, seed):
        """What is published, as a namespace; every number in it was drawn under ``guarantee``."""
        moment = self._plan.run(gram, seed)
        del gram  # the caller has let go of it: the exact sums end here
        look = moment.covariance if request.task == "covariance" else moment.take_covariance
        covariance = look(request.private_mean, request.scaled)
        released = SimpleNamespace(
            guarantee=moment.guarantee,
            mean=covariance.mean,
            noise_floor=covariance.noise_floor,
            count=moment.count,
            count_sd=moment.count_sd,
            count_is_public=moment.count_is_public,
        )
        if request.task == "covariance":
            released.covariance = covariance.psd
            released.covariance_raw = covariance.raw
            released.eigenvalues = covariance.eigenvalues
            return released
        components = _core.principal_components(covariance, request.components)
        released.components = np.ascontiguousarray(components.loadings.T)
        released.explained_variance = components.explained_variance
        released.explained_share = components.explained_share
        released.noise_edge = components.noise_edge
        return released


GAUSS = MomentMethod("gauss", ("pca", "covariance", "lowrank"), "(epsilon, delta), rho, mu")
LAPLACE = MomentMethod("laplace", ("pca", "covariance"), "pure epsilon; others on request")
