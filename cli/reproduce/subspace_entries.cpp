// Seed 003, Privately Learning Subspaces: the claims of Theorems 1.2 and E.1 measured. The paper
// has no experiments; every number here is ours.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/reproduce/entry.hpp"
#include "cli/reproduce/subspace_runs.hpp"

namespace eigenveil::cli {
namespace {

constexpr double kUseful = 0.1;

int repetitions(const EntryRun& run) {
  return run.effort == Effort::Full ? 20 : 2;
}

/// Share of runs with a sine of the angle of at most 0.1, and the mean sine.
struct Success {
  double share = 0.0;
  double mean = 0.0;
};

Success measure(const SimulatedRows& rows, SubspaceAggregate aggregate, std::size_t parts,
                EntryRun& run) {
  Success success;
  const int runs = repetitions(run);
  for (int i = 0; i < runs; ++i) {
    const double angle = learned_angle(rows, aggregate, parts, run.stream);
    success.share += (angle <= kUseful ? 1.0 : 0.0) / runs;
    success.mean += angle / runs;
  }
  return success;
}

std::string number(double value) {
  return fmt::format("{:.3g}", value);
}

Result<Reproduction> rows_needed(EntryRun& run) {
  const bool full = run.effort == Effort::Full;
  const std::vector<std::size_t> dimensions =
      full ? std::vector<std::size_t>{100, 1000, 10000} : std::vector<std::size_t>{20, 100};
  const std::vector<std::size_t> counts = full ? std::vector<std::size_t>{400, 600, 800, 1200, 2000}
                                               : std::vector<std::size_t>{400, 1200};
  Reproduction result;
  result.parameters = {{"subspace", std::int64_t{2}},
                       {"epsilon", 1.0},
                       {"delta", 1e-6},
                       {"gamma_times_dimension", 1e-3}};
  result.tables.push_back({"rows",
                           "Share of runs with sine at most 0.1, by rows and columns.",
                           {"columns", "rows", "share", "mean sine"},
                           {}});
  FigurePanel panel;
  panel.x = {.label = "rows", .scale = Scale::Log10};
  panel.y = {.label = "share of runs with sine <= 0.1", .low = 0.0, .high = 1.0};
  std::vector<double> last;
  double done = 0.0;
  for (const std::size_t d : dimensions) {
    FigureSeries series{.name = fmt::format("{} columns", d)};
    for (const std::size_t n : counts) {
      const double gamma = 1e-3 / static_cast<double>(d);
      const Success success = measure({n, d, 2, gamma, 0.0}, SubspaceAggregate::Core, 1, run);
      series.x.push_back(static_cast<double>(n));
      series.y.push_back(success.share);
      result.tables.front().rows.push_back({fmt::format("{}", d), fmt::format("{}", n),
                                            number(success.share), number(success.mean)});
      done += 1.0;
      run.progress.at(done / static_cast<double>(dimensions.size() * counts.size()));
    }
    last.push_back(series.y.back());
    panel.series.push_back(series);
  }
  result.comparisons.push_back(
      {"rows needed do not grow with the number of columns", "n does not depend on d",
       fmt::format("share at {} rows: {:.2f}", counts.back(), fmt::join(last, ", ")),
       std::all_of(last.begin(), last.end(), [](double share) { return share > 0.9; })});
  result.figures.push_back({"rows",
                            {.title = "Rows needed, by number of columns",
                             .description = "Share of useful answers against rows.",
                             .panels = {panel},
                             .notes = {}}});
  result.notes = {
      "gamma shrinks like 1/d, as the theorem asks of it (gamma^2 of order n / d^2 up to "
      "its other factors); aggregator: stable core."};
  return result;
}

/// Exponent of y against x between the first point and the last with y at most `largest`.
double slope_below(const FigureSeries& series, double largest) {
  std::size_t last = 0;
  for (std::size_t i = 1; i < series.y.size(); ++i) {
    last = series.y[i] <= largest ? i : last;
  }
  return last == 0
             ? 0.0
             : std::log(series.y[last] / series.y[0]) / std::log(series.x[last] / series.x[0]);
}

Result<Reproduction> gamma_allowed(EntryRun& run) {
  const bool full = run.effort == Effort::Full;
  const std::size_t n = full ? 4000 : 1200;
  const std::size_t d = full ? 500 : 60;
  Reproduction result;
  result.parameters = {{"rows", static_cast<double>(n)},
                       {"columns", static_cast<double>(d)},
                       {"subspace", std::int64_t{2}},
                       {"epsilon", 1.0},
                       {"delta", 1e-6}};
  result.tables.push_back({"gamma",
                           "Mean sine of the angle by gamma; NULL counts as 1.",
                           {"gamma", "core", "grid"},
                           {}});
  FigureSeries core{.name = "stable core", .mark = Mark::Filled, .emphasis = Emphasis::Strong};
  FigureSeries grid{.name = "grid (source)", .mark = Mark::Hollow};
  FigureSeries rate{.name = "rate gamma d (theorem)", .emphasis = Emphasis::Reference};
  double largest_core = 0.0;
  double largest_grid = 0.0;
  const int steps = full ? 15 : 4;
  for (int step = 0; step < steps; ++step) {
    const double gamma = 1e-8 * std::pow(1e7, step / (steps - 1.0));
    const SimulatedRows rows{n, d, 2, gamma, 0.0};
    const double by_core = measure(rows, SubspaceAggregate::Core, 1, run).mean;
    const double by_grid = measure(rows, SubspaceAggregate::Grid, 1, run).mean;
    for (auto [series, value] : {std::pair(&core, by_core), std::pair(&grid, by_grid)}) {
      series->x.push_back(gamma);
      series->y.push_back(value);
    }
    rate.x.push_back(gamma);
    rate.y.push_back(core.y.front() * gamma / core.x.front());
    largest_core = by_core <= kUseful ? gamma : largest_core;
    largest_grid = by_grid <= kUseful ? gamma : largest_grid;
    result.tables.front().rows.push_back({number(gamma), number(by_core), number(by_grid)});
    run.progress.at((step + 1.0) / steps);
  }
  const double slope = slope_below(core, 0.3);
  result.comparisons.push_back({"error grows like gamma", "exponent 1",
                                fmt::format("exponent {:.2f}", slope),
                                std::abs(slope - 1.0) < 0.15});
  result.comparisons.push_back({"largest gamma with sine at most 0.1: core against grid",
                                "(not in the paper)",
                                fmt::format("{:.2g} against {:.2g}", largest_core, largest_grid),
                                largest_core >= largest_grid});
  FigurePanel panel;
  panel.x = {.label = "gamma", .scale = Scale::Log10};
  panel.y = {.label = "sine of the angle", .scale = Scale::Log10};
  panel.series = {core, grid, rate};
  panel.lines = {{.horizontal = true, .at = kUseful, .label = "useful"}};
  result.figures.push_back({"gamma",
                            {.title = "Error against gamma",
                             .description = "Stable core and grid, with the rate.",
                             .panels = {panel},
                             .notes = {}}});
  return result;
}

Result<Reproduction> corrupted_rows(EntryRun& run) {
  const bool full = run.effort == Effort::Full;
  Reproduction result;
  result.parameters = {
      {"rows", 4000.0}, {"columns", 50.0}, {"subspace", std::int64_t{2}}, {"gamma", 1e-4}};
  result.tables.push_back({"corrupted",
                           "Share of runs with sine at most 0.1, by share of corrupted rows.",
                           {"corrupted", "share", "mean sine"},
                           {}});
  FigureSeries series{.name = "stable core", .mark = Mark::Filled};
  const std::vector<double> shares =
      full ? std::vector<double>{0, 0.005, 0.01, 0.02, 0.04, 0.08} : std::vector<double>{0, 0.01};
  for (const double share : shares) {
    const Success success = measure({4000, 50, 2, 1e-4, share}, SubspaceAggregate::Core, 1, run);
    series.x.push_back(share);
    series.y.push_back(success.share);
    result.tables.front().rows.push_back(
        {number(share), number(success.share), number(success.mean)});
    run.progress.at(static_cast<double>(series.x.size()) / static_cast<double>(shares.size()));
  }
  result.comparisons.push_back(
      {"a small share of corrupted rows does no harm", "o(n/k) corrupted points are tolerated",
       fmt::format("share at {}: {:.2f}", series.x[1], series.y[1]), series.y[1] > 0.9});
  FigurePanel panel;
  panel.x = {.label = "share of corrupted rows"};
  panel.y = {.label = "share of runs with sine <= 0.1", .low = 0.0, .high = 1.0};
  panel.series = {series};
  result.figures.push_back({"corrupted",
                            {.title = "Corrupted rows",
                             .description = "Success against corruption.",
                             .panels = {panel},
                             .notes = {}}});
  return result;
}

Result<Reproduction> boosted(EntryRun& run) {
  Reproduction result;
  result.parameters = {{"rows", 6000.0}, {"columns", 20.0}, {"parts", std::int64_t{5}}};
  result.tables.push_back({"boosted",
                           "Share of runs with sine at most 0.1, one run on all rows against five "
                           "disjoint parts.",
                           {"gamma", "plain", "boosted"},
                           {}});
  bool agrees = true;
  const std::vector<double> gammas = run.effort == Effort::Full
                                         ? std::vector<double>{1e-5, 1e-4, 1e-3, 3e-3, 1e-2}
                                         : std::vector<double>{1e-4};
  for (const double gamma : gammas) {
    const SimulatedRows rows{6000, 20, 1, gamma, 0.0};
    const Success plain = measure(rows, SubspaceAggregate::Core, 1, run);
    const Success parts = measure(rows, SubspaceAggregate::Core, 5, run);
    agrees = agrees && (gamma > 1e-4 || parts.share >= 0.9);
    result.tables.front().rows.push_back({number(gamma), number(plain.share), number(parts.share)});
    run.progress.at(static_cast<double>(result.tables.front().rows.size()) /
                    static_cast<double>(gammas.size()));
  }
  result.comparisons.push_back({"boosted answers are right at small gamma",
                                "failure probability b with log(1/b) parts",
                                agrees ? "all" : "not all", agrees});
  result.notes = {
      "The core averages over all groups, so one run on all rows needs no boosting to be "
      "reliable; parts cost accuracy."};
  return result;
}

}  // namespace

std::vector<Entry> subspace_entries() {
  const std::string source = "Seed 003 (privately learning subspaces), ";
  return {
      {"003-rows", "rows needed to learn a subspace do not grow with columns",
       source + "Theorem 1.2",
       "The sample complexity n = O(k log(1/delta)/epsilon) is independent of the ambient "
       "dimension d.",
       rows_needed},
      {"003-gamma", "error of a learned subspace against gamma, core and grid",
       source + "Theorem 1.2",
       "gamma^2 may be as large as order epsilon alpha^2 n / (d^2 k log(1/delta)) times lower "
       "order factors.",
       gamma_allowed},
      {"003-corrupted", "learning a subspace with corrupted rows", source + "Section 1.2",
       "Our algorithm can tolerate o(n/k) input points being corrupted arbitrarily.",
       corrupted_rows},
      {"003-boosted", "boosted against plain subspace learning", source + "Section E",
       "Boosting reaches failure probability b by O(log(1/b)) runs on disjoint parts.", boosted}};
}

}  // namespace eigenveil::cli
