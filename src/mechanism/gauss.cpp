#include "eigenveil/mechanism/gauss.hpp"

#include <cmath>

#include "eigenveil/core/outward.hpp"

namespace eigenveil {
namespace {

/// t = R / 2: in the Frobenius norm the count costs 3% more noise, count and mean 25%.
constexpr double kConstantShare = 0.5;

}  // namespace

NoiseScale gaussian_noise_scale(double frobenius_sensitivity, GaussianDp budget) {
  const double sigma = up(frobenius_sensitivity / budget.mu);
  return {NoiseLaw::Gaussian, sigma, up(sigma * up(std::sqrt(0.5)))};
}

Result<Release<NoisyMoment>> add_gaussian_noise(const Bounded<SecondMoment, FrobeniusNorm>& moment,
                                                GaussianDp budget, RandomStream& stream) {
  const NoiseScale scale = gaussian_noise_scale(moment.sensitivity(), budget);
  return noise_grid_exponent(scale).map([&](int exponent) {
    const Guarantee guarantee{moment.relation(), budget, Basis::Proved,
                              noise_assumptions(NoiseLaw::Gaussian), true};
    return Release<NoisyMoment>(add_rounded_noise(moment.value(), scale, exponent, stream),
                                as_run(guarantee, stream), "gauss");
  });
}

Result<MomentPlan> plan_gauss(const MomentRequest& request) {
  return budget_per_row(request.budget, request.group_size)
      .and_then(gaussian_budget)
      .and_then(
          [&](GaussianDp per_row) { return MomentPlan::make(request, per_row, kConstantShare); });
}

}  // namespace eigenveil
