#include "mechanism/orbit/low_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "mechanism/moment/moment_plan.hpp"
#include "mechanism/moment/solver_error.hpp"
#include "mechanism/orbit/orbit_statement.hpp"

namespace eigenveil {
namespace {

/// Half of expected_low_rank_error at share x without its tail, in units of 1 / eps², for one row
/// moved.
double bound_at_share(double x, double d, double k) {
  const double free_entries = k * d - k * (k + 1.0) / 2.0;
  return k / (x * x) + free_entries * (d + (1.0 + std::log(k)) / x) / (1.0 - x);
}

}  // namespace

double default_eigenvalue_share(Eigen::Index dimension, Eigen::Index rank) {
  const auto d = static_cast<double>(dimension);
  const auto k = static_cast<double>(rank);
  double low = 0.0;
  double high = 1.0;
  for (int step = 0; step < 100; ++step) {  // thirds: the function has one minimum
    const double a = low + (high - low) / 3.0;
    const double b = high - (high - low) / 3.0;
    (bound_at_share(a, d, k) < bound_at_share(b, d, k) ? high : low) =
        bound_at_share(a, d, k) < bound_at_share(b, d, k) ? b : a;
  }
  // One column has no directions, and the minimum is at the end: a share stays a share.
  return std::clamp(std::round((low + high) / 2.0 * 1000.0) / 1000.0, 0.001, 0.999);
}

Result<LowRankPlan> LowRankPlan::make(const OrbitRequest& request, Eigen::Index rank,
                                      std::optional<double> eigenvalue_share) {
  LowRankPlan plan(request);
  const Eigen::Index dimension = coordinates_of(request.bound.dimension(), request.field);
  plan.shape_ = {dimension, rank, request.relation};
  plan.eigenvalue_share_ =
      eigenvalue_share.value_or(request.calibration == OrbitCalibration::Published
                                    ? 0.5
                                    : default_eigenvalue_share(dimension, rank));
  if (!(plan.eigenvalue_share_ > 0.0 && plan.eigenvalue_share_ < 1.0)) {
    return bad_request("the share of the budget for eigenvalues must lie between 0 and 1");
  }
  const Result<DrawnBudget> divided = orbit_budget(request, rank, plan.eigenvalue_share_);
  if (!divided) {
    return error_of(divided);
  }
  plan.divided_ = *divided;
  const Result<NoiseScale> scale = eigenvalue_noise_scale(plan.shape_, plan.eigenvalue_budget());
  if (!scale) {
    return error_of(scale);
  }
  plan.noise_scale_ = *scale;
  plan.draw_budget_ = orbit_draw_budget(plan.direction_budget(), dimension, rank);
  std::vector<std::string> assumptions =
      orbit_assumptions(plan.draw_budget_.blur, plan.divided_, request.group_size);
  assumptions.push_back(
      fmt::format("eigenvalues: at most 2^30 rows, and a solver whose backward error is at most {} "
                  "of the trace",
                  kSolverErrorInWords));
  plan.guarantee_ = orbit_guarantee(request, plan.divided_, std::move(assumptions));
  return plan;
}

double LowRankPlan::eigenvalue_sd() const {
  return standard_deviation(noise_scale_.law, noise_scale_.diagonal) / kEigenvalueSteps;
}

double LowRankPlan::count_sd() const {
  return shape_.releases_count()
             ? standard_deviation(noise_scale_.law, noise_scale_.diagonal) / kCountWeight
             : 0.0;
}

Result<Release<LowRankDraw>> LowRankPlan::run(const ExactGram& gram, RandomStream& stream) const {
  if (const Result<void> fits = check_gram(request_, gram); !fits) {
    return error_of(fits);
  }
  const HermitianMoment moment(gram, request_.scales, request_.field);
  LowRankDraw draw;
  draw.eigenvalues = release_eigenvalues(gram, moment, shape_, noise_scale_, stream);
  // The exponent depends on released numbers alone.
  const Result<double> exponent =
      orbit_exponent(PureDp{draw_budget_.draw}, request_.relation, draw.eigenvalues.values,
                     shape_.dimension, request_.calibration);
  if (!exponent) {
    return error_of(exponent);
  }
  draw.orbit = draw_on_orbit(moment, draw.eigenvalues.values, *exponent, draw_budget_.blur, stream);
  return trusted::assume_released<LowRankDraw>(std::move(draw), as_run(guarantee_, stream),
                                               "orbit");
}

}  // namespace eigenveil
