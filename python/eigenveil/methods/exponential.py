"""exponential: one component drawn from exp(c u'Mu), with a share of the budget for its variance."""

from __future__ import annotations

from .. import _core
from .._errors import EigenveilError
from .subspace import released_components


class ExponentialMethod:
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
        share = 0.2 if request.variance_share is None else float(request.variance_share)
        plan = _core.plan_exponential(bound, request.budget, request.relation, request.group_size, share, request.scaled)
        return ExponentialPlan(plan, bound)


class ExponentialPlan:
    def __init__(self, plan, bound):
        self._plan = plan
        self._bound = bound
        self.guarantee = plan.guarantee

    def facts(self, request, rows, spectrum):
        return {
            "exponent": self._plan.exponent,
            "zcdp_rho": self._plan.zcdp_rho,
            "variance_noise_sd": self._plan.product_sd / rows,
            "noise_sd_rows": self._plan.count_sd,
        }

    def release(self, request, gram, seed):
        return released_components(request, self._bound, self._plan.run(gram, seed))


EXPONENTIAL = ExponentialMethod()
