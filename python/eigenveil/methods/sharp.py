"""sharp: a subspace drawn at the noise level that its asymptotic privacy allows on this data set."""

from __future__ import annotations

import numpy as np

from .. import _core
from .._errors import EigenveilError
from .method import DrawnPlan, Method, variance_share

_PRIVATE_SPECTRUM = (
    "the spectrum of the rows is private, and a noise level chosen from it would leak. Leave out data_spectrum (a private calibration is then "
    "paid for), or add spectrum_is_public=True if these eigenvalues are public knowledge"
)


class SharpMethod(Method):
    name = "sharp"
    tasks = ("pca",)
    budgets = "mu, (epsilon, delta), rho; asymptotic only"
    takes_variance_share = True
    options = {
        "calibration": "tight",
        "calibration_share": 0.3,
        "data_spectrum": None,
        "spectrum_is_public": False,
        "rank_transform": False,
    }

    def plan(self, request, bound):
        if request.private_mean:
            raise EigenveilError("method sharp works about a public centre; leave out center='private'")
        options = request.options
        spectrum = options.data_spectrum
        if spectrum is not None:
            if not options.spectrum_is_public:
                raise EigenveilError(_PRIVATE_SPECTRUM)
            spectrum = np.sort(np.asarray(spectrum, float).ravel())[::-1].copy()
        plan = _core.plan_sharp(
            bound, request.budget, request.relation, request.group_size, request.components, variance_share(request),
            float(options.calibration_share), options.calibration == "published", spectrum, bool(options.rank_transform), request.scaled,
        )
        return SharpPlan(plan, bound, bool(options.rank_transform))


class SharpPlan(DrawnPlan):
    def __init__(self, plan, bound, ranks):
        super().__init__(plan, bound)
        self._ranks = ranks

    def accumulator(self, source, bound, threads, seed):
        return _core.RankedGram(source.names, bound, threads or 0) if self._ranks else source.accumulator(bound, threads)

    def facts(self, request, rows, spectrum):
        """``spectrum`` here: of rows with squared norm at most the number of columns."""
        facts = {"mu_row_count": self._plan.mu_row_count, "mu_calibration": self._plan.mu_calibration, "mu_draw": self._plan.mu_draw}
        if spectrum is None:
            return facts
        share = min(1.0, self._bound.radius**2 / len(spectrum))
        sharp = _core.sharp_privacy(spectrum, rows, request.components, share)
        mu = _core.gaussian_mu(request.budget, request.group_size)
        return {**facts, **level_facts(sharp, mu, sharp.beta(mu))}

    def release(self, request, gram, seed):
        outcome = self._plan.run(gram, seed)
        released = self.drawn(request, outcome.release)
        released.details = {"calibration_rows": outcome.rows, "beta": outcome.beta}
        if outcome.beta is None:
            released.null = "at this size no noise level meets the target: the zero matrix was released, and the calibration is spent"
            # Nothing was measured inside a subspace; the count of the calibration is what was released.
            mu = self._plan.mu_row_count
            released.count, released.count_sd, released.count_is_public = outcome.rows, 1.0 / mu if mu > 0 else 0.0, mu == 0
        elif not self._ranks:
            released.details["worst_case_epsilon_per_row_of_the_draw"] = outcome.worst_case_epsilon
        return released


def level_facts(sharp, mu, beta):
    """What theory says of a target mu and the noise level beta that meets it; None where there is none."""
    facts = {"mu": mu, "mu_min": sharp.mu_min, "achievable": mu is not None and beta is not None}
    facts.update(theta=sharp.theta, gap=sharp.gap, plateau_end=sharp.plateau_end)
    if beta is not None:
        facts.update(
            beta=beta, worst_case_epsilon=sharp.worst_case_epsilon(beta), predicted_error_op2=sharp.error_operator2(beta),
            predicted_error_f2=sharp.error_frobenius2(beta),
        )
    return facts


SHARP = SharpMethod()
