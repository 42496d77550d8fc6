#include "engine/methods/orbit_plan_facts.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "eigenveil/report/document.hpp"
#include "engine/methods/orbit_or_noise.hpp"
#include "mechanism/moment/projected_moment.hpp"
#include "mechanism/orbit/orbit_bounds.hpp"

namespace eigenveil {
namespace {

using Facts = nlohmann::ordered_json;

Facts common_facts(const OrbitTable& table, const OrbitRequest& orbit, const Guarantee& guarantee) {
  Facts facts = {
      {"task", table.task},
      {"method", "orbit"},
      {"guarantee", headline(guarantee, orbit.budget)},
      {"in_words", detection_in_words(guarantee)},
      {stated_power(guarantee).field, stated_power(guarantee).power},
      {"row_norm", orbit.bound.radius()},
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
Vector sum_eigenvalues(const OrbitTable& table, const OrbitRequest& orbit,
                       const Vector& covariance) {
  return covariance * (table.rows / scaled_units_norm2(orbit));
}

/// Squared Frobenius errors per row: from units of R² to those of the covariance.
double squared_per_row(const OrbitTable& table, const OrbitRequest& orbit) {
  const double unit = scaled_units_norm2(orbit) / table.rows;
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

std::pair<std::string, double> per_row_parameter(const std::string& of, const PerRowLoss& loss) {
  if (const auto* gaussian = std::get_if<GaussianDp>(&loss)) {
    return {of + "_mu_per_row", gaussian->mu};
  }
  return {of + "_epsilon_per_row", std::get<PureDp>(loss).epsilon};
}

}  // namespace

std::pair<std::string, double> variance_parameter(const PerRowLoss& beside) {
  return per_row_parameter("variance", beside);
}

std::pair<std::string, double> eigenvalue_parameter(const PerRowLoss& beside) {
  return per_row_parameter("eigenvalue", beside);
}

Facts components_facts(const OrbitTable& table, const OrbitComponentsPlan& plan,
                       const Vector& eigenvalues) {
  const OrbitRequest& orbit = plan.request();
  const auto n = table.rows;
  Facts facts = common_facts(table, orbit, plan.guarantee());
  facts["draw_seconds"] = plan.draw_seconds();
  facts["exponent"] = plan.exponent();
  facts["direction_epsilon_per_row"] = plan.direction_budget().epsilon;
  const auto [name, value] = variance_parameter(plan.variance_budget());
  facts[name] = value;
  facts["gdp_mu"] = plan.gaussian().mu;
  facts["noise_sd_variance"] = plan.projection().product_sd() / n;
  facts["noise_sd_rows"] = plan.projection().count_sd();
  if (plan.exponent() > 0.0) {
    const Vector ones = Vector::Ones(plan.rank());
    const Eigen::Index d = coordinates_of(orbit.bound.dimension(), orbit.field);
    facts["expected_variance_lost_at_most"] = expected_score_loss(ones, d, plan.exponent()) *
                                              scaled_norm2_bound(orbit.bound, orbit.scales) / n;
  }
  if (eigenvalues.size() > 0 && plan.exponent() > 0.0) {
    const Vector g = sum_eigenvalues(table, orbit, eigenvalues);
    // Complex rows keep the imaginary part of the draw, the other half of its error.
    const double halves = orbit.field == RowField::Complex ? 2.0 : 1.0;
    facts["predicted_error_f2"] =
        std::min(halves * predicted_orbit_error(g, plan.rank(), plan.exponent()),
                 2.0 * static_cast<double>(plan.rank()));
    facts["lower_bounds"] = lower_bounds(g, plan.rank(), plan.direction_budget().epsilon,
                                         squared_per_row(table, orbit));
  }
  return facts;
}

Facts low_rank_facts(const OrbitTable& table, const LowRankPlan& plan, const Vector& eigenvalues) {
  const OrbitRequest& orbit = plan.request();
  const double norm2 = scaled_norm2_bound(orbit.bound, orbit.scales);
  Facts facts = common_facts(table, orbit, plan.guarantee());
  facts["draw_seconds"] = plan.draw_seconds();
  facts["rank"] = plan.rank();
  facts["eigenvalue_share"] = plan.eigenvalue_share();
  const auto [loss, of_eigenvalues] = eigenvalue_parameter(plan.eigenvalue_budget());
  facts[loss] = of_eigenvalues;
  facts["gdp_mu"] = plan.gaussian().mu;
  facts["direction_epsilon_per_row"] = plan.direction_budget().epsilon;
  facts["exponent_times_spread"] = *orbit_exponent(PureDp{plan.draw_budget().draw}, orbit.relation,
                                                   Vector::Ones(1), 2, orbit.calibration);
  facts["noise_sd_eigenvalue"] = plan.eigenvalue_sd() * norm2 / table.rows;
  facts["noise_sd_rows"] = plan.count_sd();
  if (eigenvalues.size() > 0) {
    const Vector g = sum_eigenvalues(table, orbit, eigenvalues);
    const double unit2 = squared_per_row(table, orbit);
    const double rows_moved =
        1.0 / facts["exponent_times_spread"].get<double>() * plan.direction_budget().epsilon;
    const LowRankUtility utility{g, plan.rank(), plan.eigenvalue_sd() / std::sqrt(2.0),
                                 plan.direction_budget().epsilon, rows_moved};
    facts["expected_error_f2_at_most"] = unit2 * expected_low_rank_error(utility);
    if (orbit.field == RowField::Real) {
      facts["predicted_error_f2"] = unit2 * predicted_low_rank_error(utility);
    }
    if (const auto* pure = std::get_if<PureDp>(&plan.eigenvalue_budget())) {  // theirs are pure
      facts["lower_bounds"] =
          lower_bounds(g, plan.rank(), pure->epsilon + plan.direction_budget().epsilon, unit2);
    }
  }
  add_noise_rival(facts, table, plan, eigenvalues);
  return facts;
}

Facts target_facts(const OrbitTable& table, const OrbitPlan& plan) {
  Facts facts = common_facts(table, plan.request(), plan.guarantee());
  facts["draw_seconds"] = plan.draw_seconds();
  facts["rank"] = plan.spectrum().size();
  facts["exponent"] = plan.exponent();
  facts["direction_epsilon_per_row"] = plan.per_row().epsilon;
  facts["gdp_mu"] = plan.gaussian().mu;
  if (plan.exponent() > 0.0) {
    facts["expected_score_lost_at_most"] = expected_score_loss(
        plan.spectrum(), coordinates_of(plan.bound().dimension(), plan.request().field),
        plan.exponent());
  }
  return facts;
}

}  // namespace eigenveil
