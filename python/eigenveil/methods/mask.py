"""mask and gauss of masked data: a noisy Gram of all rows, of which a factor is released."""

from __future__ import annotations

from .. import _core
from .._errors import EigenveilError
from .method import Method, Plan


class MaskMethod(Method):
    """Noise and a uniform rotation of all rows ("mask"), or noise on their second moment ("gauss"); either way pseudo-data has it."""

    tasks = ("mask",)

    def __init__(self, name, budgets, options):
        self.name = name
        self.budgets = budgets
        self.options = options

    def plan(self, request, bound):
        if request.private_mean:
            raise EigenveilError("pseudo-data has no private centre; give intercept=True, and the analyses subtract the mean")
        settings = _core.MaskSettings(
            self.name, request.budget, request.relation, bound, list(request.columns), request.intercept,
            getattr(request.options, "calibration", "tight") == "published", request.scaled, request.group_size, request.smallest_block or 0,
        )
        _core.check_pseudo(settings)
        return MaskPlan(settings, bound)


class MaskPlan(Plan):
    """The noise depends on the public number of rows, so the rest of the plan is made when it is known."""

    def __init__(self, settings, bound):
        self.settings = settings
        self._bound = bound

    def release(self, request, grams, seed):
        release = _core.draw_pseudo(self.settings, grams, seed)
        rows = sum(release.block_rows)
        floor = release.cell_sd**2 if release.cell_sd > 0 else release.gram_sd_diagonal / max(1, rows)
        return self.published(request, release.guarantee, floor, rows, release=release)


MASK = MaskMethod("mask", "(epsilon, delta)", {"calibration": "tight"})
MASK_BY_GAUSS = MaskMethod("gauss", "(epsilon, delta), rho, mu", {})
