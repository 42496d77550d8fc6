"""gauss and laplace: noise on the exact second moment, then post-processing."""

from __future__ import annotations

from types import SimpleNamespace

from .. import _core
from .method import Method, Plan, add_components


class MomentMethod(Method):
    """Both additive mechanisms; they differ in the law of the noise and in the budgets they meet."""

    def __init__(self, name, tasks, budgets):
        self.name = name
        self.tasks = tasks
        self.budgets = budgets

    def plan(self, request, bound):
        return MomentPlan(
            _core.plan_moment(self.name, bound, request.budget, request.relation, request.private_mean, request.group_size), bound
        )


class MomentPlan(Plan):
    """Noise and guarantee; made without data."""

    def facts(self, request, rows, spectrum):
        facts = {
            "noise_sd_diagonal": self._plan.product_sd / rows,
            "noise_sd_off_diagonal": self._plan.off_diagonal_sd / rows,
            "noise_sd_rows": self._plan.count_sd,
            "noise_floor": self._plan.noise_floor(request.scaled, rows),
        }
        if request.private_mean:  # the noise of the mean counts with its distance from the centre
            facts["noise_floor_at_most"] = self._plan.noise_floor(request.scaled, rows, mean_at_bound=True)
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
            if self._plan.method == "gauss":  # what intervals are made of
                released.sum_noise = (self._plan.product_sd, self._plan.off_diagonal_sd, moment.sum_sd)
            return released
        components = _core.principal_components(covariance, request.components)
        return add_components(
            released, components.loadings, components.explained_variance, components.explained_share, components.noise_edge
        )


GAUSS = MomentMethod("gauss", ("pca", "covariance", "lowrank"), "(epsilon, delta), rho, mu")
LAPLACE = MomentMethod("laplace", ("pca", "covariance", "lowrank"), "pure epsilon; others on request")
