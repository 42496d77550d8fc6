#include "cli/methods/orbit_plan_facts.hpp"

#include <fmt/format.h>

#include "cli/methods/orbit_or_laplace.hpp"
#include "cli/options/bound_options.hpp"
#include "eigenveil/mechanism/orbit_bounds.hpp"
#include "eigenveil/mechanism/projected_moment.hpp"
#include "eigenveil/report/document.hpp"

namespace eigenveil::cli {
namespace {

using Facts = nlohmann::ordered_json;

Facts common_facts(const PlanRequest& request, const OrbitRequest& orbit,
                   const Guarantee& guarantee) {
  Facts facts = {
      {"task", name_of(request.what.task)},
      {"method", "orbit"},
      {"guarantee", headline(guarantee, *request.what.budget.budget())},
      {"in_words", detection_in_words(guarantee)},
      {"max_power_at_5pct", max_power(guarantee.loss, 0.05)},
      {"row_norm", std::sqrt(scaled_norm2_bound(orbit.bound, orbit.scales))},
      {"calibration", orbit.calibration == OrbitCalibration::Published ? "published" : "tight"}};
  if (orbit.field == RowField::Complex) {
    facts["complex_coordinates"] = orbit.bound.dimension() / 2;
  }
  return facts;
}

/// R² of scaled units, those of the assumed spectrum.
double scaled_units_norm2(const OrbitRequest& orbit) {
  return scaled_norm2_bound(orbit.bound, Vector::Ones(orbit.scales.size()));
}

/// Eigenvalues of the sum over rows in units of R², from those of the covariance.
Vector sum_eigenvalues(const PlanRequest& request, const OrbitRequest& orbit,
                       const Vector& covariance) {
  return covariance * (static_cast<double>(request.rows) / scaled_units_norm2(orbit));
}

/// Squared Frobenius errors per row: from units of R² to those of the covariance.
double squared_per_row(const PlanRequest& request, const OrbitRequest& orbit) {
  const double unit = scaled_units_norm2(orbit) / static_cast<double>(request.rows);
  return unit * unit;
}

Facts lower_bounds(const Vector& eigenvalues, Eigen::Index rank, double epsilon, double unit2) {
  const OrbitLowerBounds bounds = orbit_lower_bounds(eigenvalues, rank, epsilon);
  return {{"note", "up to a universal constant; replace-one neighbours"},
          {"theorem_2_4_f2", bounds.theorem_2_4 * unit2},
          {"corollary_2_5_f2", bounds.corollary_2_5 * unit2},
          {"corollary_2_6_f2", bounds.theorem_2_4 * unit2},
          {"projection_f2", bounds.projection * unit2},
          {"packing_f2", bounds.packing * unit2},
          {"earlier_spectral_norm", bounds.spectral_norm * std::sqrt(unit2)}};
}

}  // namespace

Facts components_facts(const PlanRequest& request, const OrbitComponentsPlan& plan,
                       const Vector& eigenvalues) {
  const OrbitRequest& orbit = plan.request();
  const auto n = static_cast<double>(request.rows);
  Facts facts = common_facts(request, orbit, plan.guarantee());
  facts["exponent"] = plan.exponent();
  facts["direction_epsilon_per_row"] = plan.direction_budget().epsilon;
  facts["variance_epsilon_per_row"] = plan.variance_budget().epsilon;
  facts["noise_sd_variance"] = plan.projection().product_sd() / n;
  facts["noise_sd_rows"] = plan.projection().count_sd();
  if (plan.exponent() > 0.0) {
    const Vector ones = Vector::Ones(plan.rank());
    const Eigen::Index d = coordinates_of(orbit.bound.dimension(), orbit.field);
    facts["expected_variance_lost_at_most"] = expected_score_loss(ones, d, plan.exponent()) *
                                              scaled_norm2_bound(orbit.bound, orbit.scales) / n;
  }
  if (eigenvalues.size() > 0 && plan.exponent() > 0.0) {
    const Vector g = sum_eigenvalues(request, orbit, eigenvalues);
    // Complex rows keep the imaginary part of the draw, the other half of its error.
    const double halves = orbit.field == RowField::Complex ? 2.0 : 1.0;
    facts["predicted_error_f2"] =
        std::min(halves * predicted_orbit_error(g, plan.rank(), plan.exponent()),
                 2.0 * static_cast<double>(plan.rank()));
    facts["lower_bounds"] = lower_bounds(g, plan.rank(), plan.direction_budget().epsilon,
                                         squared_per_row(request, orbit));
  }
  return facts;
}

Facts low_rank_facts(const PlanRequest& request, const LowRankPlan& plan,
                     const Vector& eigenvalues) {
  const OrbitRequest& orbit = plan.request();
  const double norm2 = scaled_norm2_bound(orbit.bound, orbit.scales);
  Facts facts = common_facts(request, orbit, plan.guarantee());
  facts["rank"] = plan.rank();
  facts["eigenvalue_share"] = plan.eigenvalue_share();
  facts["eigenvalue_epsilon_per_row"] = plan.eigenvalue_budget().epsilon;
  facts["direction_epsilon_per_row"] = plan.direction_budget().epsilon;
  facts["exponent_times_spread"] = *orbit_exponent(plan.direction_budget(), orbit.relation,
                                                   Vector::Ones(1), 2, orbit.calibration);
  facts["noise_sd_eigenvalue"] = plan.eigenvalue_sd() * norm2 / static_cast<double>(request.rows);
  facts["noise_sd_rows"] = plan.count_sd();
  if (eigenvalues.size() > 0) {
    const Vector g = sum_eigenvalues(request, orbit, eigenvalues);
    const double unit2 = squared_per_row(request, orbit);
    const double rows_moved =
        1.0 / facts["exponent_times_spread"].get<double>() * plan.direction_budget().epsilon;
    const LowRankUtility utility{g, plan.rank(), plan.noise_scale() / kEigenvalueSteps,
                                 plan.direction_budget().epsilon, rows_moved};
    facts["expected_error_f2_at_most"] = unit2 * expected_low_rank_error(utility);
    if (orbit.field == RowField::Real) {
      facts["predicted_error_f2"] = unit2 * predicted_low_rank_error(utility);
    }
    facts["lower_bounds"] = lower_bounds(
        g, plan.rank(), plan.eigenvalue_budget().epsilon + plan.direction_budget().epsilon, unit2);
  }
  add_laplace_rival(facts, request, plan, eigenvalues);
  return facts;
}

Facts target_facts(const PlanRequest& request, const OrbitPlan& plan) {
  Facts facts = common_facts(request, plan.request(), plan.guarantee());
  facts["rank"] = plan.spectrum().size();
  facts["exponent"] = plan.exponent();
  facts["direction_epsilon_per_row"] = plan.per_row().epsilon;
  if (plan.exponent() > 0.0) {
    facts["expected_score_lost_at_most"] = expected_score_loss(
        plan.spectrum(), coordinates_of(plan.bound().dimension(), plan.request().field),
        plan.exponent());
  }
  return facts;
}

void print_orbit_plan(const PlanRequest& request, const RowBound& bound, const Facts& facts) {
  const auto number = [&facts](const char* name) { return facts[name].get<double>(); };
  const char* units = request.what.units() == Units::Original ? "original" : "scaled";
  fmt::print("Plan for {} by method orbit: {} rows, {} columns{} (no data was read)\n",
             name_of(request.what.task), request.rows, bound.dimension(),
             facts.contains("complex_coordinates")
                 ? fmt::format(" (real and imaginary parts of {} complex ones)",
                               facts["complex_coordinates"].get<std::size_t>())
                 : "");
  fmt::print("  guarantee   {}\n  in words    {}\n  bounds      {}\n",
             facts["guarantee"].get<std::string>(), facts["in_words"].get<std::string>(),
             describe_bound(bound));
  fmt::print("  directions  epsilon {:.4g} per row, {} exponents\n",
             number("direction_epsilon_per_row"), facts["calibration"].get<std::string>());
  if (facts.contains("variance_epsilon_per_row")) {
    fmt::print("  variances   epsilon {:.4g} per row, standard deviation {:.4g} ({} units)\n",
               number("variance_epsilon_per_row"), number("noise_sd_variance"), units);
  }
  if (facts.contains("eigenvalue_epsilon_per_row")) {
    fmt::print(
        "  eigenvalues epsilon {:.4g} per row (share {}), standard deviation {:.4g} ({} units)\n",
        number("eigenvalue_epsilon_per_row"), number("eigenvalue_share"),
        number("noise_sd_eigenvalue"), units);
  }
  if (facts.contains("expected_variance_lost_at_most")) {
    fmt::print(
        "  loss        on average at most {:.2g} ({} units) below the variance the best subspace "
        "explains\n",
        number("expected_variance_lost_at_most"), units);
  }
  if (facts.contains("expected_score_lost_at_most")) {
    fmt::print(
        "  loss        tr(M H) on average at most {:.4g} below the best matrix with this spectrum "
        "(M the sum over rows in units of R^2)\n",
        number("expected_score_lost_at_most"));
  }
  if (facts.contains("predicted_error_f2") && request.what.wants_components()) {
    fmt::print("  error       |UU' - VV'|_F^2 about {:.4g} (worst {}; for the assumed spectrum)\n",
               number("predicted_error_f2"), 2 * request.what.components);
  }
  if (facts.contains("expected_error_f2_at_most")) {
    fmt::print(
        "  error       |M - H|_F^2 on average at most {:.4g} (assumed spectrum, scaled units)\n",
        number("expected_error_f2_at_most"));
  }
  if (facts.contains("laplace_smaller_above_eigenvalue")) {
    print_choice(facts);
  }
  if (facts.contains("lower_bounds")) {
    const Facts& bounds = facts["lower_bounds"];
    fmt::print(
        "  nobody can  do better on all inputs, up to a constant: {:.4g} (Theorem 2.4, Corollary "
        "2.6), {:.4g} "
        "(Corollary 2.5), {:.4g} (projections), {:.4g} (packing); spectral norm {:.4g}\n",
        bounds["theorem_2_4_f2"].get<double>(), bounds["corollary_2_5_f2"].get<double>(),
        bounds["projection_f2"].get<double>(), bounds["packing_f2"].get<double>(),
        bounds["earlier_spectral_norm"].get<double>());
  }
}

}  // namespace eigenveil::cli
