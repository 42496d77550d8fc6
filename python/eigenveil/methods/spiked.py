"""spiked: the projector of the top components at the sensitivity it has under the spiked model; private with high probability under it."""

from __future__ import annotations

import math

import numpy as np

from .. import _core
from .._errors import EigenveilError
from .method import Method, Plan, add_components, check_one_row, variance_share

_UNREAD = _core.UNREAD_ROWS  # rows of a trial plan: finds every refusal that does not depend on their number


class SpikedMethod(Method):
    name = "spiked"
    tasks = ("pca", "covariance")
    budgets = "(epsilon, delta), rho, mu; under a model, for independent copies"
    takes_variance_share = True
    options = {
        "calibration": "tight",
        "sigma2": None,
        "lambda": None,
        "spread": 1.0,
        "rank": None,
        "max_rank": None,
        "row_count": None,
        "gaussian_rows": False,
        "c1": 1.0,
        "c2": 4.0,
        "c3": 4.0,
        "c5": 4.0,
    }

    def plan(self, request, bound):
        public = self._public(request, bound.dimension)
        public.row_radius = _core.row_radius(bound, request.scaled)
        public.set_budget(request.budget)
        return SpikedPlan(public, bound, request.options.row_count)

    def model_radius(self, request, dimension):
        options = request.options
        if options.sigma2 is None or getattr(options, "lambda") is None or options.row_count is None:
            return None
        return self._public(request, dimension).model_radius()

    def _public(self, request, dimension):
        check_one_row(request, self.name)
        if request.relation != "independent-copy":
            raise EigenveilError(
                "method spiked protects one row against an independent copy of it, with high probability under its model and not for every "
                "data set; say neighbours='independent-copy' to accept that, or take method='gauss' or 'spiked-robust'"
            )
        options = request.options
        if options.rank is not None and options.max_rank is not None:
            raise EigenveilError("give rank or max_rank, not both")
        public = _core.SpikedRequest()
        public.rows = int(options.row_count or _UNREAD)
        public.dimension = dimension
        public.rank = int(options.rank) if options.rank is not None else (request.components if request.task == "pca" else 1)
        public.max_rank = None if options.max_rank is None else int(options.max_rank)
        public.noise_variance = None if options.sigma2 is None else float(options.sigma2)
        spike = getattr(options, "lambda")
        public.spike = None if spike is None else float(spike)
        public.spread = float(options.spread)
        # pca is about the subspace; Cai, Xia and Zha split evenly for the covariance.
        public.variance_share = variance_share(request, 0.2 if request.task == "pca" else 0.5)
        public.published = options.calibration == "published"
        public.gaussian_rows = bool(options.gaussian_rows)
        public.set_constants(*(float(getattr(options, c)) for c in ("c1", "c2", "c3", "c5")))
        return public


class SpikedPlan(Plan):
    """The number of rows is public here, but unknown until they are read: the plan is made again for it."""

    def __init__(self, public, bound, row_count):
        super().__init__(_core.plan_spiked(public), bound)
        self._public = public
        self._row_count = row_count

    def accumulator(self, source, bound, threads, seed):
        return _core.TableOrGramAccumulator(source.names, bound, threads or 0)

    def _for_rows(self, rows):
        self._public.rows = int(rows)
        return _core.plan_spiked(self._public)

    def facts(self, request, rows, spectrum):
        plan = self._for_rows(rows)
        facts = {"shares": plan.shares, "preconditions": [condition[0] for condition in plan.conditions]}
        noise = plan.projector_noise
        if noise is not None:
            facts["model_radius"] = self._public.model_radius()
            facts["projector_sensitivity"], sd = noise
            facts["projector_noise_sd"] = sd
            off = sd if self._public.published else sd * math.sqrt(0.5)
            facts["predicted_error_f2"] = _core.projector_noise_error(self._bound.dimension, self._public.rank, off)
        return facts

    def release(self, request, statistic, seed):
        sample = _core.sample_covariance(statistic, request.scaled)
        if self._row_count is not None and self._row_count != sample.rows:
            raise EigenveilError("the table does not have the number of rows that row_count says")
        release = self._for_rows(sample.rows).run(sample, seed)
        edge = release.noise_variance_upper + 4.0 * release.inside_sd
        released = self.published(
            request,
            release.guarantee,
            edge,
            sample.rows,
            details={
                "sigma2" if self._public.noise_variance is not None else "noisy_sigma2": release.noise_variance,
                "rank": release.rank,
                "sigma2_upper": release.noise_variance_upper,
                "lambda_lower": release.spike_lower,
                "noisy_top_eigenvalues": release.noisy_eigenvalues,
                "projector_sensitivity": release.projector_sensitivity,
                "projector_noise_sd": release.projector_sd,
                "inside_noise_sd": release.inside_sd,
            },
        )
        if request.task == "covariance":
            released.covariance_raw, released.covariance = release.covariance
            released.eigenvalues = np.linalg.eigvalsh(released.covariance_raw)[::-1].copy()
            return released
        loadings, variances = release.components
        total = variances.sum() + (self._bound.dimension - len(variances)) * release.noise_variance
        return add_components(released, loadings, variances, variances / max(total, np.finfo(float).tiny), edge)


SPIKED = SpikedMethod()
