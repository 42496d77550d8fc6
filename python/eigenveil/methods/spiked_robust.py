"""spiked-robust: the projector of the top components, with noise fitted to a noisy eigengap; holds for every data set, may answer NULL."""

from __future__ import annotations

import math

from .. import _core
from .method import Method, Plan, add_components, check_one_row, variance_share


class SpikedRobustMethod(Method):
    name = "spiked-robust"
    tasks = ("pca",)
    budgets = "(epsilon, delta)"
    takes_variance_share = True

    def plan(self, request, bound):
        check_one_row(request, self.name)
        plan = _core.plan_gap(bound, request.budget, request.relation, request.components, variance_share(request), request.scaled)
        return SpikedRobustPlan(plan, bound)


class SpikedRobustPlan(Plan):
    def facts(self, request, rows, spectrum):
        facts = {"gap_noise_sd": self._plan.gap_sd / rows, "smallest_useful_gap": self._plan.smallest_useful_gap / rows}
        if spectrum is not None and request.components < len(spectrum):
            k = request.components
            sd = self._plan.expected_projector_sd(rows * (spectrum[k - 1] - spectrum[k]))
            facts["null_expected"] = sd is None
            if sd is not None:
                facts["predicted_error_f2"] = _core.projector_noise_error(len(spectrum), k, sd * math.sqrt(0.5))
        return facts

    def release(self, request, gram, seed):
        release = self._plan.run(gram, seed)
        edge = 4.0 * self._plan.inside_sd / max(1.0, release.count)
        released = self.published(request, release.guarantee, edge, release.count, release.count_sd, self._plan.count_is_public)
        released.details = {"gap_lower_bound_of_sum": release.gap_lower, "gap_noise_sd": self._plan.gap_sd}
        if release.is_null:
            released.null = "the noisy eigengap is too small for this budget"
            return released
        loadings, variances = release.components
        released.details["projector_noise_sd"] = release.projector_sd
        return add_components(released, loadings, variances, None, edge)  # the total variance was not released


SPIKED_ROBUST = SpikedRobustMethod()
