#include "mechanism/gauss/gauss.hpp"

#include <cmath>

#include "core/outward.hpp"
#include "mechanism/gauss/trace_noise.hpp"

namespace eigenveil {

NoiseScale gaussian_noise_scale(double frobenius_sensitivity, GaussianDp budget) {
  const double sigma = up(frobenius_sensitivity / budget.mu);
  return {NoiseLaw::Gaussian, sigma, up(sigma * up(std::sqrt(0.5)))};
}

NoiseScale gaussian_noise_scale(const MomentShape& shape, double frobenius_sensitivity,
                                GaussianDp budget) {
  const TraceApart apart = trace_apart(shape, frobenius_sensitivity);
  NoiseScale scale = gaussian_noise_scale(apart.sensitivity, budget);
  scale.trace_ratio = apart.ratio;
  return scale;
}

Result<Release<NoisyTotals>> add_gaussian_noise(const Bounded<SecondMoment, FrobeniusNorm>& moment,
                                                GaussianDp budget, RandomStream& stream) {
  const NoiseScale scale =
      gaussian_noise_scale(moment.value().shape(), moment.sensitivity(), budget);
  return noise_grid_exponent(scale).map([&](int exponent) {
    const Guarantee guarantee{moment.relation(), budget, Basis::Proved,
                              noise_assumptions(NoiseLaw::Gaussian), true};
    return trusted::assume_released<NoisyTotals>(
        add_rounded_noise(moment.value(), scale, exponent, stream), as_run(guarantee, stream),
        "gauss");
  });
}

Result<MomentPlan> plan_gauss(const MomentRequest& request) {
  return budget_per_row(request.budget, request.group_size)
      .and_then(gaussian_budget)
      .and_then([&](GaussianDp per_row) {
        return MomentPlan::make(request, per_row, NoiseLaw::Gaussian);
      });
}

}  // namespace eigenveil
