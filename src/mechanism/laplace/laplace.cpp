#include "mechanism/laplace/laplace.hpp"

#include "core/outward.hpp"
#include "mechanism/moment/pure_margin.hpp"

namespace eigenveil {

NoiseScale laplace_noise_scale(double upper_triangle_l1_sensitivity, PureDp budget) {
  const double b = up(upper_triangle_l1_sensitivity / budget.epsilon, kPureMarginUlps);
  return {NoiseLaw::Laplace, b, b};
}

Result<Release<NoisyTotals>> add_laplace_noise(
    const Bounded<SecondMoment, UpperTriangleL1Norm>& moment, PureDp budget, RandomStream& stream) {
  const NoiseScale scale = laplace_noise_scale(moment.sensitivity(), budget);
  return noise_grid_exponent(scale).map([&](int exponent) {
    const Guarantee guarantee{moment.relation(), budget, Basis::Proved,
                              noise_assumptions(NoiseLaw::Laplace), true};
    return trusted::assume_released<NoisyTotals>(
        add_rounded_noise(moment.value(), scale, exponent, stream), as_run(guarantee, stream),
        "laplace");
  });
}

Result<MomentPlan> plan_laplace(const MomentRequest& request) {
  return pure_budget_per_row(request.budget, request.group_size).and_then([&](PureDp per_row) {
    return MomentPlan::make(request, per_row, NoiseLaw::Laplace);
  });
}

}  // namespace eigenveil
