"""exponential: one component drawn from exp(c u'Mu), with a share of the budget for its variance."""

from __future__ import annotations

from .. import _core
from .._errors import EigenveilError
from .method import DrawnPlan, Method, variance_share


class ExponentialMethod(Method):
    name = "exponential"
    tasks = ("pca",)
    budgets = "k = 1: pure epsilon, rho"
    takes_variance_share = True

    def plan(self, request, bound):
        if request.components != 1:
            raise EigenveilError("method exponential draws one component; take n_components=1, or another method")
        if request.private_mean:
            raise EigenveilError(
                "method exponential draws its direction from second moments about a public centre and releases no mean; leave out "
                "center='private', or take method='gauss' with delta"
            )
        share = variance_share(request)
        plan = _core.plan_exponential(bound, request.budget, request.relation, request.group_size, share, request.scaled)
        return ExponentialPlan(plan, bound)


class ExponentialPlan(DrawnPlan):
    def facts(self, request, rows, spectrum):
        facts = {
            "exponent": self._plan.exponent,
            "zcdp_rho_per_row": self._plan.zcdp_rho,
            "noise_sd_variance": self._plan.product_sd / rows,
            "noise_sd_rows": self._plan.count_sd,
        }
        if spectrum is not None and len(spectrum) > 1:
            facts["predicted_error_f2"] = _core.direction_error(self._plan, spectrum, rows)
        return facts


EXPONENTIAL = ExponentialMethod()
