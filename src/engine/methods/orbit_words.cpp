#include "engine/methods/orbit_words.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/bound_words.hpp"

namespace eigenveil {
namespace {

using Facts = nlohmann::ordered_json;

std::string choice_in_words(const Facts& facts) {
  const double crossing = facts["noise_smaller_above_eigenvalue"].get<double>();
  const auto noise = facts["noise_method"].get<std::string>();
  if (facts.contains("predicted_error_f2_noise")) {
    return fmt::format(
        "{}: |M - H|_F^2 about {:.4g} by orbit, {:.4g} by {} (first order, for the assumed "
        "spectrum)",
        facts["recommended_method"].get<std::string>(), facts["predicted_error_f2"].get<double>(),
        facts["predicted_error_f2_noise"].get<double>(), noise);
  }
  if (facts.contains("recommended_method")) {
    return fmt::format(
        "orbit: noise on entries ({{method {}}}) has the smaller error only above a leading "
        "eigenvalue of {:.4g}, and none can exceed {:.4g} (scaled units)",
        noise, crossing, facts["largest_possible_eigenvalue"].get<double>());
  }
  return fmt::format(
      "noise on entries ({{method {}}}) has the smaller error if the leading eigenvalue is above "
      "{:.4g} (scaled units, first order; {{spectrum}} compares the two)",
      noise, crossing);
}

void add_losses(PlanFacts& said, const Request& request, const Facts& facts, const char* units) {
  const auto add = [&](const char* name, const char* label, const auto& words) {
    if (facts.contains(name)) {
      said.lines.push_back({label, words(facts[name].get<double>())});
    }
  };
  add("expected_variance_lost_at_most", "loss", [&](double loss) {
    return fmt::format(
        "on average at most {:.2g} ({} units) below the variance the best subspace explains", loss,
        units);
  });
  add("expected_score_lost_at_most", "loss", [](double loss) {
    return fmt::format(
        "tr(M H) on average at most {:.4g} below the best matrix with this spectrum (M the sum "
        "over rows in units of R^2)",
        loss);
  });
  if (request.wants_components()) {
    add("predicted_error_f2", "error", [&](double error) {
      return fmt::format("|UU' - VV'|_F^2 about {:.4g} (worst {}; for the assumed spectrum)", error,
                         2 * request.components);
    });
  }
  add("expected_error_f2_at_most", "error", [](double error) {
    return fmt::format("|M - H|_F^2 on average at most {:.4g} (assumed spectrum, scaled units)",
                       error);
  });
}

}  // namespace

std::string duration_in_words(double seconds) {
  return seconds < 100.0 ? fmt::format("{:.0f} seconds", seconds)
                         : fmt::format("{:.0f} minutes", seconds / 60.0);
}

PlanFacts orbit_facts(const Request& request, const RowBound& bound, const AssumedTable& table,
                      const Facts& facts) {
  const auto number = [&facts](const char* name) { return facts[name].get<double>(); };
  const char* units = request.units == Units::Original ? "original" : "scaled";
  PlanFacts said{
      facts.dump(2),
      fmt::format("Plan for {} by method orbit: {} rows, {} columns{} (no data was read)",
                  name_of(request.task), table.rows, bound.dimension(),
                  facts.contains("complex_coordinates")
                      ? fmt::format(" (real and imaginary parts of {} complex ones)",
                                    facts["complex_coordinates"].get<std::size_t>())
                      : ""),
      {{"guarantee", facts["guarantee"].get<std::string>()},
       {"in words", facts["in_words"].get<std::string>()},
       {"bounds", describe_bound(bound)}}};
  const auto say = [&said](const char* label, std::string text) {
    said.lines.push_back({label, std::move(text)});
  };
  say("directions",
      fmt::format("epsilon {:.4g} per row, {} exponents", number("direction_epsilon_per_row"),
                  facts["calibration"].get<std::string>()));
  for (const auto& [name, loss] :
       {std::pair("variance_epsilon_per_row", "epsilon"), {"variance_mu_per_row", "mu"}}) {
    if (facts.contains(name)) {
      say("variances", fmt::format("{} {:.4g} per row, standard deviation {:.4g} ({} units)", loss,
                                   number(name), number("noise_sd_variance"), units));
    }
  }
  for (const auto& [name, loss] :
       {std::pair("eigenvalue_epsilon_per_row", "epsilon"), {"eigenvalue_mu_per_row", "mu"}}) {
    if (facts.contains(name)) {
      say("eigenvalues",
          fmt::format("{} {:.4g} per row (share {}), standard deviation {:.4g} ({} units)", loss,
                      number(name), number("eigenvalue_share"), number("noise_sd_eigenvalue"),
                      units));
    }
  }
  add_losses(said, request, facts, units);
  if (facts.contains("noise_smaller_above_eigenvalue")) {
    say("choice", choice_in_words(facts));
  }
  if (number("draw_seconds") >= 1.0) {
    say("time", fmt::format("the draw takes up to about {}, sooner where the components stand out",
                            duration_in_words(number("draw_seconds"))));
  }
  if (facts.contains("lower_bounds")) {
    const Facts& bounds = facts["lower_bounds"];
    say("nobody can",
        fmt::format(
            "do better on all inputs, up to a constant: {:.4g} (Theorem 2.4, Corollary "
            "2.6), {:.4g} (Corollary 2.5), {:.4g} (projections), {:.4g} (packing); spectral "
            "norm {:.4g}",
            bounds["theorem_2_4_f2"].get<double>(), bounds["corollary_2_5_f2"].get<double>(),
            bounds["projection_f2"].get<double>(), bounds["packing_f2"].get<double>(),
            bounds["earlier_spectral_norm"].get<double>()));
  }
  return said;
}

}  // namespace eigenveil
