"""oja: one component by private power iteration over the rows in their order; one pass."""

from __future__ import annotations

import numpy as np

from .. import _core
from .._errors import EigenveilError
from .method import Method, Plan, add_components, check_one_row


class OjaMethod(Method):
    name = "oja"
    tasks = ("pca",)
    budgets = "(epsilon, delta), rho, mu; one component, replace-one or zero-row"
    options = {"batch": 1000, "contribution": None}

    def plan(self, request, bound):
        check_one_row(request, self.name)
        if request.components != 1:
            raise EigenveilError("method oja finds one component; take n_components=1")
        contribution = request.options.contribution
        plan = _core.plan_oja(
            bound, request.budget, request.relation, int(request.options.batch), None if contribution is None else float(contribution),
            request.scaled,
        )
        return OjaPlan(plan, bound, request.scaled)


class OjaPlan(Plan):
    def __init__(self, plan, bound, scaled):
        super().__init__(plan, bound)
        self._scaled = scaled

    def accumulator(self, source, bound, threads, seed):
        return _Pass(_core.OjaPass(self._plan, bound, self._scaled, seed))

    def facts(self, request, rows, spectrum):
        plan = self._plan.for_rows(int(rows))
        facts = {"sensitivity_of_a_batch": plan.sensitivity, "batch_noise_sd": plan.noise_sd}
        if spectrum is not None:
            facts["predicted_error_f2"] = _core.predicted_oja_error(plan, rows, spectrum)
        return facts

    def release(self, request, finished, seed):
        if not isinstance(finished, _Pass):
            raise EigenveilError("method oja sees rows one by one; a .gram file has none")
        release = finished.core.finish()
        # No variance is released, so no floor of it either.
        used = self._plan.for_rows(finished.core.rows)
        released = self.published(request, release.guarantee, np.nan, finished.core.rows, details={"batch_noise_sd": used.noise_sd})
        return add_components(released, release.direction.reshape(-1, 1))


class _Pass:
    """The pass itself is what is finished: its rows are gone."""

    def __init__(self, core):
        self.core = core
        self.add_array, self.add_table = core.add_array, core.add_table

    def finish(self):
        return self


OJA = OjaMethod()
