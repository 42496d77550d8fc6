#include "engine/methods/orbit_or_noise.hpp"

#include <nlohmann/json.hpp>

#include "mechanism/gauss/gauss.hpp"
#include "mechanism/moment/predicted_error.hpp"
#include "mechanism/moment/projected_moment.hpp"
#include "mechanism/wishart/wishart.hpp"

namespace eigenveil {

using Facts = nlohmann::ordered_json;

void add_noise_rival(Facts& facts, const OrbitTable& table, const LowRankPlan& plan,
                     const Vector& eigenvalues) {
  const OrbitRequest& orbit = plan.request();
  const auto d = static_cast<double>(orbit.scales.size());
  const auto k = static_cast<double>(plan.rank());
  const double pairs = k * d - k * (k + 1.0) / 2.0;
  const bool pure = std::holds_alternative<PureDp>(orbit.budget);
  const Result<MomentPlan> noise = (pure ? plan_wishart : plan_gauss)(
      {orbit.bound, orbit.budget, orbit.relation, Extension::Count, orbit.group_size});
  if (orbit.field != RowField::Real || !noise || !(pairs > 0.0)) {
    return;
  }
  const auto n = table.rows;
  const double norm2 = scaled_norm2_bound(orbit.bound, Vector::Ones(orbit.scales.size()));
  const double diagonal = noise->product_sd() * noise->product_sd();
  const double off_diagonal = noise->off_diagonal_sd() * noise->off_diagonal_sd();
  // orbit: pairs x eigenvalue x n R² / exponent; noise: k diagonal entries of the block and
  // 2 d k - k² - k others; both times 1 / n²
  const double crossing = (k * diagonal + (2.0 * d * k - k * k - k) * off_diagonal) *
                          facts["exponent_times_spread"].get<double>() / (pairs * norm2 * n);
  facts["noise_method"] = noise->method();
  facts["noise_smaller_above_eigenvalue"] = crossing;
  facts["largest_possible_eigenvalue"] = norm2;
  if (eigenvalues.size() > 0) {
    const double by_noise = predicted_truncation_error(
        eigenvalues, plan.rank(), noise->product_sd() / n, noise->off_diagonal_sd() / n);
    facts["predicted_error_f2_noise"] = by_noise;
    facts["recommended_method"] =
        by_noise < facts["predicted_error_f2"].get<double>() ? noise->method() : "orbit";
  } else if (crossing >= norm2) {
    facts["recommended_method"] = "orbit";
  }
}

}  // namespace eigenveil
