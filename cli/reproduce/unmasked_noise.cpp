#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <set>

#include "cli/reproduce/entry.hpp"
#include "cli/reproduce/published_noise.hpp"
#include "eigenveil/privacy/calibration.hpp"

namespace eigenveil::cli {
namespace {

/// Noise for releasing X + C when one row moves by at most 1. With q the upper delta-quantile of
/// N(0, 1): necessary q / epsilon (11), sufficient (q / epsilon) (1 + 1 / (2 q^2)) (12).
struct UnmaskedNoise {
  double necessary;
  double sufficient;
  double analytic;  ///< smallest sigma that is (epsilon, delta)-DP
};

UnmaskedNoise unmasked_noise(double epsilon, double delta) {
  const double q = boost::math::quantile(complement(boost::math::normal(), delta));
  return {q / epsilon, q / epsilon * (1.0 + 1.0 / (2.0 * q * q)),
          1.0 / gaussian_mu_for({epsilon, delta})};
}

Comparison compare_to_the_digit(const std::string& what, std::string_view printed, double value) {
  const std::string ours = fmt::format("{:.1f}", value);
  return {what, std::string(printed), ours, ours == printed};
}

void add_row(const PublishedNoise& printed, Reproduction& result) {
  const UnmaskedNoise noise = unmasked_noise(printed.epsilon, printed.delta);
  const std::string setting = fmt::format("epsilon {}, delta {}, p {}, n {}", printed.epsilon,
                                          printed.delta, printed.columns, printed.rows);
  const Comparison necessary =
      compare_to_the_digit(setting + ": necessary (11)", printed.necessary, noise.necessary);
  const Comparison sufficient =
      compare_to_the_digit(setting + ": sufficient (12)", printed.sufficient, noise.sufficient);
  result.tables.front().rows.push_back(
      {fmt::format("{}", printed.epsilon), fmt::format("{}", printed.delta),
       fmt::format("{}", printed.columns), fmt::format("{}", printed.rows),
       std::string(printed.necessary), necessary.ours, std::string(printed.sufficient),
       sufficient.ours, fmt::format("{:.4g}", noise.analytic),
       fmt::format("{:.1f}", noise.sufficient / noise.analytic)});
  result.comparisons.push_back(necessary);
  result.comparisons.push_back(sufficient);
}

/// "the necessary condition (11) is less than 10% away from the sufficient condition (12) in all
/// cases"
Comparison compare_the_gap() {
  double largest = 0.0;
  for (const PublishedNoise& printed : kPublishedNoise) {
    const UnmaskedNoise noise = unmasked_noise(printed.epsilon, printed.delta);
    largest = std::max(largest, noise.sufficient / noise.necessary - 1.0);
  }
  return {"largest gap between (11) and (12)", "less than 10%",
          fmt::format("{:.1f}%", 100.0 * largest), largest < 0.1};
}

Figure noise_figure() {
  FigureSeries necessary{.name = "necessary (11)", .kind = SeriesKind::Points};
  FigureSeries sufficient{.name = "sufficient (12)", .kind = SeriesKind::Points};
  FigureSeries analytic{.name = "(epsilon, delta)-DP needs", .kind = SeriesKind::Points};
  analytic.emphasis = Emphasis::Strong;
  FigurePanel panel;
  std::set<std::pair<double, double>> seen;
  for (const PublishedNoise& printed : kPublishedNoise) {
    if (!seen.emplace(printed.epsilon, printed.delta).second) {
      continue;  // p and n do not matter without masking
    }
    const UnmaskedNoise noise = unmasked_noise(printed.epsilon, printed.delta);
    const auto position = static_cast<double>(seen.size());
    panel.x.categories.push_back(fmt::format("{}, {}", printed.epsilon, printed.delta));
    for (auto [series, value] :
         {std::pair(&necessary, noise.necessary), std::pair(&sufficient, noise.sufficient),
          std::pair(&analytic, noise.analytic)}) {
      series->x.push_back(position);
      series->y.push_back(value);
    }
  }
  necessary.mark = Mark::Hollow;
  panel.x.label = "epsilon, delta";
  panel.y.label = "noise standard deviation";
  panel.y.scale = Scale::Log10;
  panel.series = {necessary, sufficient, analytic};
  return {.title = "Noise without masking, setting (A)",
          .description =
              "Standard deviation of the noise for six pairs of epsilon and delta: the "
              "source's two conditions lie together, the analytic Gaussian mechanism "
              "needs less.",
          .panels = {panel},
          .notes = {{.text = "one row moves by at most 1"}}};
}

Result<Reproduction> produce(EntryRun& run) {
  Reproduction result;
  result.parameters = {{"setting", std::string("A: X + C, no masking")},
                       {"largest_change_of_a_row", 1.0}};
  result.tables.push_back(
      {"table1a",
       "Noise standard deviation of setting (A); the last columns are the analytic Gaussian sigma "
       "and how many times more the sufficient condition asks for.",
       {"epsilon", "delta", "p", "n", "necessary (paper)", "necessary (ours)", "sufficient (paper)",
        "sufficient (ours)", "analytic", "sufficient / analytic"},
       {}});
  for (const PublishedNoise& printed : kPublishedNoise) {
    add_row(printed, result);
    run.progress.at(static_cast<double>(result.tables.front().rows.size()) /
                    static_cast<double>(kPublishedNoise.size()));
  }
  result.comparisons.push_back(compare_the_gap());
  result.figures.push_back({"noise", noise_figure()});
  result.notes = {
      "Both conditions refer to P(privacy loss > epsilon) <= delta, which is stronger than "
      "(epsilon, "
      "delta)-DP. The analytic Gaussian sigma is the smallest that is (epsilon, delta)-DP, and is "
      "what this program uses; the paper's ratios to masking are against the stronger condition.",
      "Only the columns of setting (A) are here; those of the masked setting (B) are not."};
  return result;
}

}  // namespace

Entry unmasked_noise_entry() {
  return {
      "002-table1a", "noise without masking against epsilon and delta, setting (A)",
      "Seed 002 (random matrix masking), Table 1, columns of setting (A)",
      "Table 1: Comparison of sigma bounds (12) for setting (A) versus (13) for setting (B). The "
      "necessary condition (11) is less than 10% away from the sufficient condition (12) in all "
      "cases.",
      produce};
}

}  // namespace eigenveil::cli
