#include "engine/methods/orbit_or_wishart.hpp"

#include <nlohmann/json.hpp>

#include "mechanism/moment/predicted_error.hpp"
#include "mechanism/moment/projected_moment.hpp"
#include "mechanism/wishart/wishart.hpp"

namespace eigenveil {

using Facts = nlohmann::ordered_json;

void add_wishart_rival(Facts& facts, const OrbitTable& table, const LowRankPlan& plan,
                       const Vector& eigenvalues) {
  const OrbitRequest& orbit = plan.request();
  const auto d = static_cast<double>(orbit.scales.size());
  const auto k = static_cast<double>(plan.rank());
  const double pairs = k * d - k * (k + 1.0) / 2.0;
  const Result<MomentPlan> wishart =
      plan_wishart({orbit.bound, orbit.budget, orbit.relation, Extension::Count, orbit.group_size});
  if (orbit.field != RowField::Real || !wishart || !(pairs > 0.0)) {
    return;
  }
  const auto n = table.rows;
  const double norm2 = scaled_norm2_bound(orbit.bound, Vector::Ones(orbit.scales.size()));
  const double variance = wishart->off_diagonal_sd() * wishart->off_diagonal_sd();
  // orbit: pairs x eigenvalue x n R² / exponent; wishart: (2 d k - k² + k) variance, the diagonal
  // counting twice; both times 1 / n²
  const double crossing = variance * (2.0 * d * k - k * k + k) *
                          facts["exponent_times_spread"].get<double>() / (pairs * norm2 * n);
  facts["wishart_smaller_above_eigenvalue"] = crossing;
  facts["largest_possible_eigenvalue"] = norm2;
  if (eigenvalues.size() > 0) {
    const double by_wishart = predicted_truncation_error(
        eigenvalues, plan.rank(), wishart->product_sd() / n, wishart->off_diagonal_sd() / n);
    facts["predicted_error_f2_wishart"] = by_wishart;
    facts["recommended_method"] =
        by_wishart < facts["predicted_error_f2"].get<double>() ? "wishart" : "orbit";
  } else if (crossing >= norm2) {
    facts["recommended_method"] = "orbit";
  }
}

}  // namespace eigenveil
