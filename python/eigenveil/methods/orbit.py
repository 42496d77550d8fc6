"""orbit: several components, or a rank-k second moment, drawn on a unitary orbit; pure epsilon."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from .. import _core
from .._errors import EigenveilError
from .subspace import released_components


class OrbitMethod:
    name = "orbit"
    tasks = ("pca", "lowrank")
    budgets = "pure epsilon"
    takes_variance_share = True

    def plan(self, request, bound):
        if request.private_mean:
            raise EigenveilError(
                "method orbit draws from second moments about a public centre and releases no mean; leave out center='private', or take "
                "method='laplace'"
            )
        common = (bound, request.budget, request.relation, request.group_size)
        if request.task == "lowrank":
            if request.variance_share is not None:
                raise EigenveilError("variance_share belongs to PrivatePCA; a low-rank matrix splits its budget by its public sizes")
            return LowRankPlan(_core.plan_low_rank(*common, request.components, request.scaled), bound)
        share = 0.2 if request.variance_share is None else float(request.variance_share)
        return ComponentsPlan(_core.plan_orbit_components(*common, share, request.components, request.scaled), bound)


class ComponentsPlan:
    def __init__(self, plan, bound):
        self._plan = plan
        self._bound = bound
        self.guarantee = plan.guarantee

    def facts(self, request, rows, spectrum):
        return {"exponent": self._plan.exponent, "variance_noise_sd": self._plan.product_sd / rows, "noise_sd_rows": self._plan.count_sd}

    def release(self, request, gram, seed):
        return released_components(request, self._bound, self._plan.run(gram, seed))


class LowRankPlan:
    def __init__(self, plan, bound):
        self._plan = plan
        self._bound = bound
        self.guarantee = plan.guarantee

    def facts(self, request, rows, spectrum):
        return {"variance_noise_sd": self._plan.eigenvalue_sd * self._plan.norm2 / rows, "noise_sd_rows": self._plan.count_sd}

    def release(self, request, gram, seed):
        release = self._plan.run(gram, seed)
        matrix = release.matrix(self._plan.norm2)
        values, vectors = np.linalg.eigh(matrix)
        components = vectors[:, : -request.components - 1 : -1].T.copy()
        components *= np.sign(components[np.arange(len(components)), np.abs(components).argmax(axis=1)])[:, None]
        noise = self._plan.eigenvalue_sd * self._plan.norm2 / max(release.count, 1.0)
        return SimpleNamespace(
            guarantee=release.guarantee,
            mean=np.zeros(self._bound.dimension) if request.scaled else self._bound.midpoints,
            noise_floor=noise,
            count=release.count,
            count_sd=release.count_sd,
            count_is_public=release.count_sd == 0,
            components=components,
            explained_variance=np.maximum(values[: -request.components - 1 : -1], 0.0),
            explained_share=None,
            noise_edge=np.full(request.components, noise),
            low_rank=matrix,
        )


ORBIT = OrbitMethod()
