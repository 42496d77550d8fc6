#include "engine/methods/orbit_or_laplace.hpp"

#include <nlohmann/json.hpp>

#include "mechanism/laplace/laplace.hpp"
#include "mechanism/moment/predicted_error.hpp"
#include "mechanism/moment/projected_moment.hpp"

namespace eigenveil {

using Facts = nlohmann::ordered_json;

void add_laplace_rival(Facts& facts, const OrbitTable& table, const LowRankPlan& plan,
                       const Vector& eigenvalues) {
  const OrbitRequest& orbit = plan.request();
  const auto d = static_cast<double>(orbit.scales.size());
  const auto k = static_cast<double>(plan.rank());
  const double pairs = k * d - k * (k + 1.0) / 2.0;
  const Result<MomentPlan> laplace =
      plan_laplace({orbit.bound, orbit.budget, orbit.relation, Extension::Count, orbit.group_size});
  if (orbit.field != RowField::Real || !laplace || !(pairs > 0.0)) {
    return;
  }
  const auto n = table.rows;
  const double norm2 = scaled_norm2_bound(orbit.bound, Vector::Ones(orbit.scales.size()));
  const double variance = laplace->off_diagonal_sd() * laplace->off_diagonal_sd();
  // orbit: pairs x eigenvalue x n R² / exponent; laplace: (2 d k - k²) variance; both times 1 / n²
  const double crossing = variance * (2.0 * d * k - k * k) *
                          facts["exponent_times_spread"].get<double>() / (pairs * norm2 * n);
  facts["laplace_smaller_above_eigenvalue"] = crossing;
  facts["largest_possible_eigenvalue"] = norm2;
  if (eigenvalues.size() > 0) {
    const double by_laplace = predicted_truncation_error(
        eigenvalues, plan.rank(), laplace->product_sd() / n, laplace->off_diagonal_sd() / n);
    facts["predicted_error_f2_laplace"] = by_laplace;
    facts["recommended_method"] =
        by_laplace < facts["predicted_error_f2"].get<double>() ? "laplace" : "orbit";
  } else if (crossing >= norm2) {
    facts["recommended_method"] = "orbit";
  }
}

}  // namespace eigenveil
