#include "cli/methods/orbit_plan_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/progress.hpp"

namespace eigenveil::cli {
namespace {

using Facts = nlohmann::ordered_json;

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

}  // namespace

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
  if (number("draw_seconds") >= 1.0) {
    fmt::print(
        "  time        the draw takes up to about {}, sooner where the components stand out\n",
        duration_in_words(number("draw_seconds")));
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
