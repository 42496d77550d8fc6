#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechanism/mask/mask_calibration.hpp"
#include "papers/entry.hpp"
#include "papers/published_noise.hpp"

namespace eigenveil::papers {
namespace {

/// One row of the table as we compute it.
struct OurNoise {
  UnmaskedNoise unmasked;
  double masked;  ///< condition (13)
  double tight;   ///< our zero-row calibration at the same bound on a row, R = sqrt(p)
};

OurNoise our_noise(const PublishedNoise& row) {
  const ApproxDp target{row.epsilon, row.delta};
  const double norm = std::sqrt(static_cast<double>(row.columns));
  return {unmasked_noise(1.0, target), *published_mask_noise(row.rows, row.columns, target),
          *tight_mask_noise({row.rows, row.columns, norm}, target, Relation::ZeroRow)};
}

Comparison compare_to_the_digit(const std::string& what, std::string_view printed, double value,
                                int digits = 1) {
  const std::string ours = fmt::format("{:.{}f}", value, digits);
  return {what, std::string(printed), ours, ours == printed};
}

void add_row(const PublishedNoise& printed, Reproduction& result) {
  const OurNoise noise = our_noise(printed);
  const UnmaskedNoise& plain = noise.unmasked;
  const std::string setting = fmt::format("epsilon {}, delta {}, p {}, n {}", printed.epsilon,
                                          printed.delta, printed.columns, printed.rows);
  const Comparison necessary =
      compare_to_the_digit(setting + ": necessary (11)", printed.necessary, plain.necessary);
  const Comparison sufficient =
      compare_to_the_digit(setting + ": sufficient (12)", printed.sufficient, plain.sufficient);
  const Comparison masked =
      compare_to_the_digit(setting + ": masked (13)", printed.masked, noise.masked);
  const Comparison ratio = compare_to_the_digit(setting + ": ratio (12)/(13)", printed.ratio,
                                                plain.sufficient / noise.masked, 0);
  result.tables.front().rows.push_back(
      {fmt::format("{}", printed.epsilon), fmt::format("{}", printed.delta),
       fmt::format("{}", printed.columns), fmt::format("{}", printed.rows),
       std::string(printed.necessary), necessary.ours, std::string(printed.sufficient),
       sufficient.ours, std::string(printed.masked), masked.ours, std::string(printed.ratio),
       ratio.ours, fmt::format("{:.4g}", plain.analytic), fmt::format("{:.4g}", noise.tight)});
  for (const Comparison& line : {necessary, sufficient, masked, ratio}) {
    result.comparisons.push_back(line);
  }
}

/// "the necessary condition (11) is less than 10% away from the sufficient condition (12) in all
/// cases"
Comparison compare_the_gap() {
  double largest = 0.0;
  for (const PublishedNoise& printed : kPublishedNoise) {
    const UnmaskedNoise noise = unmasked_noise(1.0, {printed.epsilon, printed.delta});
    largest = std::max(largest, noise.sufficient / noise.necessary - 1.0);
  }
  return {"largest gap between (11) and (12)", "less than 10%",
          fmt::format("{:.1f}%", 100.0 * largest), largest < 0.1};
}

/// p = 1: there the paper's neighbours (a row moves by at most 1) and ours (a row of norm at most 1
/// against the zero row) ask nearly the same, so the numbers may stand side by side.
Figure noise_figure() {
  FigureSeries plain{.name = "X + C, (epsilon, delta)-DP", .kind = SeriesKind::Points};
  FigureSeries sufficient{.name = "X + C, sufficient (12)", .kind = SeriesKind::Points};
  FigureSeries masked{.name = "masked, published (13)", .kind = SeriesKind::Points};
  FigureSeries tight{.name = "masked, tight", .kind = SeriesKind::Points};
  tight.emphasis = Emphasis::Strong;
  sufficient.mark = Mark::Hollow;
  FigurePanel panel;
  double position = 0.0;
  for (const PublishedNoise& printed : kPublishedNoise) {
    if (printed.columns != 1) {
      continue;
    }
    const OurNoise noise = our_noise(printed);
    position += 1.0;
    panel.x.categories.push_back(
        fmt::format("{}, {}, {}", printed.epsilon, printed.delta, printed.rows));
    for (auto [series, value] :
         {std::pair(&plain, noise.unmasked.analytic), std::pair(&masked, noise.masked),
          std::pair(&sufficient, noise.unmasked.sufficient), std::pair(&tight, noise.tight)}) {
      series->x.push_back(position);
      series->y.push_back(value);
    }
  }
  panel.x.label = "epsilon, delta, rows";
  panel.y.label = "noise standard deviation";
  panel.y.scale = Scale::Log10;
  panel.series = {sufficient, plain, masked, tight};
  return {.title = "Noise with and without masking, p = 1",
          .description =
              "Standard deviation of the noise: the paper's rule for masking lies below the "
              "Gaussian mechanism, the tight calibration far below both.",
          .panels = {panel},
          .notes = {{.text = "one row of norm at most 1"}}};
}

Result<Reproduction> produce_masked_noise_table(EntryRun& run) {
  Reproduction result;
  result.parameters = {
      {"settings", std::string("A: X + C; B: A (X + C); C: A X + C, the same law as B")},
      {"largest_change_of_a_row", 1.0}};
  result.tables.push_back(
      {"table1",
       "Noise standard deviation without masking (A) and with it (B). The last two columns are "
       "ours: "
       "the analytic Gaussian sigma for (A), and the tight sigma for (B) with rows of norm at most "
       "sqrt(p) against the zero row, which at p = 1 is the paper's relation.",
       {"epsilon", "delta", "p", "n", "necessary (paper)", "necessary (ours)", "sufficient (paper)",
        "sufficient (ours)", "masked (paper)", "masked (ours)", "ratio (paper)", "ratio (ours)",
        "analytic", "tight"},
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
      "The tight column answers another question for p > 1: a row of norm at most sqrt(p) against "
      "the zero row may move by sqrt(p), the paper's by 1. At p = 1 both are the same.",
      "The proof of (13) in our copy mixes two exponents; its constant is sound "
      "(docs/proofs/masking.md)."};
  return result;
}

}  // namespace

Entry masked_noise_entry() {
  return {
      "ding-table1", "noise with and without masking, all 36 rows", "Table 1",
      "Table 1: Comparison of sigma bounds (12) for setting (A) versus (13) for setting (B). The "
      "necessary condition (11) is less than 10% away from the sufficient condition (12) in all "
      "cases.",
      produce_masked_noise_table};
}

}  // namespace eigenveil::papers
