#include "cli/methods/orbit_or_laplace.hpp"

#include <fmt/format.h>

#include "eigenveil/mechanism/laplace.hpp"
#include "eigenveil/mechanism/predicted_error.hpp"
#include "eigenveil/mechanism/projected_moment.hpp"

namespace eigenveil::cli {

using Facts = nlohmann::ordered_json;

void add_laplace_rival(Facts& facts, const PlanRequest& request, const LowRankPlan& plan,
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
  const auto n = static_cast<double>(request.rows);
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

void print_choice(const Facts& facts) {
  const double crossing = facts["laplace_smaller_above_eigenvalue"].get<double>();
  if (facts.contains("predicted_error_f2_laplace")) {
    fmt::print(
        "  choice      {}: |M - H|_F^2 about {:.4g} by orbit, {:.4g} by laplace (first order, for "
        "the assumed spectrum)\n",
        facts["recommended_method"].get<std::string>(), facts["predicted_error_f2"].get<double>(),
        facts["predicted_error_f2_laplace"].get<double>());
  } else if (facts.contains("recommended_method")) {
    fmt::print(
        "  choice      orbit: noise on entries (--method laplace) has the smaller error only above "
        "a leading eigenvalue of {:.4g}, and none can exceed {:.4g} (scaled units)\n",
        crossing, facts["largest_possible_eigenvalue"].get<double>());
  } else {
    fmt::print(
        "  choice      noise on entries (--method laplace) has the smaller error if the leading "
        "eigenvalue is above {:.4g} (scaled units, first order; --spectrum compares the two)\n",
        crossing);
  }
}

}  // namespace eigenveil::cli
