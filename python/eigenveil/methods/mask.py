"""mask: noise and a uniform rotation of all rows; what is released is a factor of their noisy Gram matrix."""

from __future__ import annotations

from .. import _core
from .._errors import EigenveilError
from .method import Method, Plan


class MaskMethod(Method):
    name = "mask"
    tasks = ("mask",)
    budgets = "(epsilon, delta)"
    options = {"calibration": "tight"}

    def plan(self, request, bound):
        if request.private_mean:
            raise EigenveilError("masked rows are taken about a public centre; leave out center='private'")
        if request.group_size != 1:
            raise EigenveilError("masking protects single rows; leave out group_size")
        _core.check_mask(bound, request.budget, request.relation, request.options.calibration == "published")
        return MaskPlan(bound)


class MaskPlan(Plan):
    """The noise depends on the public number of rows, so the rest of the plan is made when it is known."""

    def __init__(self, bound):
        self._bound = bound

    def for_rows(self, request, rows):
        return _core.plan_mask(self._bound, request.budget, request.relation, rows, request.options.calibration == "published")

    def release(self, request, gram, seed):
        rows = _core.public_rows(gram, request.relation)
        plan = self.for_rows(request, rows)
        release = plan.run(gram, seed)
        return self.published(request, release.guarantee, plan.sigma**2, rows, factor=release.factor, sigma=plan.sigma)


MASK = MaskMethod()
