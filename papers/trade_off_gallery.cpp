#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "eigenveil/privacy/conversion.hpp"
#include "papers/entry.hpp"

namespace eigenveil::papers {
namespace {

struct Curve {
  std::string name;
  Loss loss;
};

const std::vector<double> kMus{0.5, 1.0, 1.5};
const std::vector<double> kCurveEpsilons{0.1, 1.0, 10.0};

std::vector<Curve> gaussian_curves() {
  std::vector<Curve> curves;
  curves.reserve(kMus.size());
  for (const double mu : kMus) {
    curves.push_back({fmt::format("mu = {}", mu), GaussianDp{mu}});
  }
  return curves;
}

std::vector<Curve> pure_curves() {
  std::vector<Curve> curves;
  curves.reserve(kCurveEpsilons.size());
  for (const double epsilon : kCurveEpsilons) {
    curves.push_back({fmt::format("epsilon = {}", epsilon), PureDp{epsilon}});
  }
  return curves;
}

/// The smallest type II error at level `type_one` of a test between Bern(1/(1+e^epsilon)) and
/// Bern(e^epsilon/(1+e^epsilon)), from the definition: reject on 1 first, then on 0.
double bernoulli_trade_off(double epsilon, double type_one) {
  const double head = 1.0 / (1.0 + std::exp(-epsilon));
  const double tail = 1.0 - head;  // P(1) under the null
  return type_one <= tail ? 1.0 - head * (type_one / tail)
                          : (1.0 - head) * (1.0 - (type_one - tail) / (1.0 - tail));
}

/// The test between N(0, 1) and N(mu, 1) that rejects large values.
double normal_trade_off(double mu, double type_one) {
  const boost::math::normal standard;
  const double threshold = quantile(complement(standard, type_one));
  return cdf(standard, threshold - mu);
}

std::vector<double> type_one_grid(int steps) {
  std::vector<double> grid;
  for (int i = 0; i <= steps; ++i) {
    grid.push_back(static_cast<double>(i) / steps);
  }
  return grid;
}

std::vector<double> type_two(const Loss& loss, const std::vector<double>& grid) {
  std::vector<double> errors;
  std::transform(grid.begin(), grid.end(), std::back_inserter(errors),
                 [&](double type_one) { return trade_off(loss, type_one); });
  return errors;
}

FigurePanel gallery_panel(const std::vector<double>& grid, EntryRun& run) {
  FigurePanel panel;
  panel.x = {.label = "type I error (false alarms)", .low = 0.0, .high = 1.0};
  panel.y = {.label = "type II error (missed)", .low = 0.0, .high = 1.0};
  for (const Curve& curve : gaussian_curves()) {
    panel.series.push_back({.name = curve.name + " (Gaussian DP)",
                            .x = grid,
                            .y = type_two(curve.loss, grid),
                            .emphasis = Emphasis::Strong});
    run.progress.at(static_cast<double>(panel.series.size()) / 6.0);
  }
  for (const Curve& curve : pure_curves()) {
    panel.series.push_back({.name = curve.name,
                            .x = grid,
                            .y = type_two(curve.loss, grid),
                            .emphasis = Emphasis::Reference});
    run.progress.at(static_cast<double>(panel.series.size()) / 6.0);
  }
  return panel;
}

PrintedTable level_table() {
  PrintedTable table{"fig2-errors",
                     "Smallest type II error of any test, for the type I error of the row.",
                     {"type I error"},
                     {}};
  std::vector<Curve> curves = gaussian_curves();
  const std::vector<Curve> pure = pure_curves();
  curves.insert(curves.end(), pure.begin(), pure.end());
  for (const Curve& curve : curves) {
    table.header.push_back(curve.name);
  }
  for (const double type_one : {0.01, 0.05, 0.1, 0.25, 0.5}) {
    std::vector<std::string> row{fmt::format("{}", type_one)};
    for (const Curve& curve : curves) {
      row.push_back(fmt::format("{:.4f}", trade_off(curve.loss, type_one)));
    }
    table.rows.push_back(row);
  }
  return table;
}

/// Largest distance between a curve of the library (rounded down) and the definition.
template <class Definition>
Comparison compare_to_definition(const std::string& what, const std::string& paper,
                                 const Loss& loss, Definition definition) {
  double largest = 0.0;
  for (int i = 1; i < 100; ++i) {
    const double type_one = i / 100.0;
    largest = std::max(largest, std::abs(trade_off(loss, type_one) - definition(type_one)));
  }
  const bool agrees = largest <= 1e-12;
  return {what, paper,
          agrees ? "equal at 99 levels to 1e-12" : fmt::format("differs by {:.1e}", largest),
          agrees};
}

std::vector<Comparison> curve_comparisons() {
  const double head = 1.0 / (1.0 + std::exp(-0.1));
  const std::string pair = fmt::format("Bern({:.2f}) and Bern({:.2f})", 1.0 - head, head);
  const std::string printed = "Bern(0.48) and Bern(0.52)";
  std::vector<Comparison> lines{
      {"epsilon = 0.1 is at least as hard as telling apart", printed, pair, pair == printed}};
  for (const double epsilon : kCurveEpsilons) {
    lines.push_back(compare_to_definition(
        fmt::format("curve of epsilon = {}", epsilon),
        "T[Bern(1/(1+e^epsilon)) || Bern(e^epsilon/(1+e^epsilon))]", PureDp{epsilon},
        [epsilon](double type_one) { return bernoulli_trade_off(epsilon, type_one); }));
  }
  for (const double mu : kMus) {
    lines.push_back(compare_to_definition(
        fmt::format("curve of mu = {}", mu), "T[N(0, 1) || N(mu, 1)]", GaussianDp{mu},
        [mu](double type_one) { return normal_trade_off(mu, type_one); }));
  }
  return lines;
}

Result<Reproduction> produce_trade_off_gallery(EntryRun& run) {
  const int steps = run.effort == Effort::Full ? 2000 : 200;
  Reproduction result;
  result.parameters = {{"mu", kMus}, {"epsilon", kCurveEpsilons}, {"steps", std::int64_t{steps}}};
  Figure figure;
  figure.title = "Trade-off functions implied by privacy guarantees";
  figure.description =
      "Smallest type II error against type I error: curves of mu-Gaussian differential privacy "
      "between the diagonal of no information and the corner, with pure epsilon as reference.";
  figure.panels = {gallery_panel(type_one_grid(steps), run)};
  figure.panel_height = 420;
  result.figures.push_back({"fig2", figure});
  result.tables.push_back(level_table());
  result.comparisons = curve_comparisons();
  result.notes = {
      "Compared are the definitions in the paper's text, not its drawing: the copy we work from "
      "lost "
      "the legend of Figure 2 and the letters of the formulas, which are the standard ones of the "
      "work it cites. The mu drawn here are those of its Figure 5 (0.5, 1, 1.5); epsilon 0.1 is "
      "named in its text, 1 and 10 are ours.",
      "Higher is more private: the diagonal from (0, 1) to (1, 0) means the output says nothing "
      "about the person."};
  return result;
}

}  // namespace

Entry trade_off_gallery_entry() {
  return {"yun-dudeja-fig2", "gallery of trade-off functions: mu-GDP beside pure epsilon",
          "Figure 2",
          "Figure 2: Visualization of trade-off-function lower bounds implied by various privacy "
          "guarantees. A statistic is epsilon-DP if and only if its trade-off function is at least "
          "T[Bern(1/(1+e^epsilon)) || Bern(e^epsilon/(1+e^epsilon))], and mu-GDP if it is at least "
          "T[N(0, 1) || N(mu, 1)]; epsilon = 0.1 is at least as hard as distinguishing Bern(0.48) "
          "from Bern(0.52).",
          produce_trade_off_gallery};
}

}  // namespace eigenveil::papers
