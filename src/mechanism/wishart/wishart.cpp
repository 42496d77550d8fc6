#include "mechanism/wishart/wishart.hpp"

#include <cmath>

#include "core/outward.hpp"
#include "mechanism/moment/pure_margin.hpp"

namespace eigenveil {

NoiseScale wishart_noise_scale(double nuclear_sensitivity, PureDp budget,
                               const MomentShape& shape) {
  const double factor = up(nuclear_sensitivity / (2.0 * budget.epsilon), kPureMarginUlps);
  // Var (G Gᵀ - H Hᵀ)_ij = 2 (q + 1), twice that on the diagonal.
  const auto degrees = static_cast<double>(shape.noise_dimension()) + 1.0;
  const double diagonal = 2.0 * factor * std::sqrt(degrees);
  return {NoiseLaw::Wishart, diagonal, diagonal * std::sqrt(0.5), factor};
}

Result<Release<NoisyTotals>> add_wishart_noise(const Bounded<SecondMoment, NuclearNorm>& moment,
                                               PureDp budget, RandomStream& stream) {
  const NoiseScale scale =
      wishart_noise_scale(moment.sensitivity(), budget, moment.value().shape());
  return noise_grid_exponent(scale).map([&](int exponent) {
    const Guarantee guarantee{moment.relation(), budget, Basis::Proved,
                              noise_assumptions(NoiseLaw::Wishart), true};
    return trusted::assume_released<NoisyTotals>(
        add_rounded_noise(moment.value(), scale, exponent, stream), as_run(guarantee, stream),
        "wishart");
  });
}

Result<MomentPlan> plan_wishart(const MomentRequest& request) {
  return pure_budget_per_row(request.budget, request.group_size).and_then([&](PureDp per_row) {
    return MomentPlan::make(request, per_row, NoiseLaw::Wishart);
  });
}

}  // namespace eigenveil
