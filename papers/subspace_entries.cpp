// Singhal and Steinke, Privately Learning Subspaces: the claims of Theorems 1.2 and E.1 measured.
// The paper has no experiments; every number here is ours.
#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "papers/entry.hpp"
#include "papers/subspace_runs.hpp"

namespace eigenveil::papers {
namespace {

constexpr double kUseful = MeasuredAngles::kUseful;

MeasuredAngles measure_subspace(const SimulatedRows& rows, SubspaceAggregate aggregate,
                                std::size_t parts, EntryRun& run) {
  SubspaceRequest settings;
  settings.aggregate = aggregate;
  return measure_angles(rows, settings, parts, run.effort == Effort::Full ? 20 : 2, run.stream);
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
    FigureSeries series{.name = fmt::format("{} columns", d), .mark = Mark::Hollow};
    for (const std::size_t n : counts) {
      const double gamma = 1e-3 / static_cast<double>(d);
      const MeasuredAngles measured =
          measure_subspace({n, d, 2, gamma, 0.0}, SubspaceAggregate::Core, 1, run);
      series.x.push_back(static_cast<double>(n));
      series.y.push_back(measured.useful_share());
      result.tables.front().rows.push_back({fmt::format("{}", d), fmt::format("{}", n),
                                            number(measured.useful_share()),
                                            number(measured.mean())});
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
      "its other factors); aggregator: stable core.",
      "Sizes that the plan refuses, before any row is drawn, count as a sine of 1."};
  return result;
}

/// Least squares of log sine against log gamma over single runs. To first order sine = gamma Z with
/// the same law of Z at every gamma, so the residuals are independent and alike, and the slope is
/// 1.
struct Slope {
  double value = 0.0;
  double half_width = 0.0;  ///< of the 99.9% t interval
};

Slope slope_of(const std::vector<std::pair<double, double>>& logs) {
  const auto n = static_cast<double>(logs.size());
  double mx = 0.0;
  double my = 0.0;
  for (const auto& [x, y] : logs) {
    mx += x / n;
    my += y / n;
  }
  double sxx = 0.0;
  double sxy = 0.0;
  for (const auto& [x, y] : logs) {
    sxx += (x - mx) * (x - mx);
    sxy += (x - mx) * (y - my);
  }
  Slope slope{sxy / sxx, 0.0};
  double rest = 0.0;
  for (const auto& [x, y] : logs) {
    const double residual = y - my - slope.value * (x - mx);
    rest += residual * residual;
  }
  const boost::math::students_t law(n - 2.0);
  slope.half_width = quantile(complement(law, 0.0005)) * std::sqrt(rest / (n - 2.0) / sxx);
  return slope;
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
                           "Median sine of the angle by gamma, and the share of NULL (sine 1).",
                           {"gamma", "core", "NULL", "grid", "NULL"},
                           {}});
  FigureSeries core{.name = "stable core", .mark = Mark::Filled, .emphasis = Emphasis::Strong};
  FigureSeries grid{.name = "grid (paper)", .mark = Mark::Hollow};
  FigureSeries rate{.name = "rate gamma d (theorem)", .emphasis = Emphasis::Reference};
  std::vector<std::pair<double, double>> logs;
  double largest_core = 0.0;
  double largest_grid = 0.0;
  const int steps = full ? 15 : 4;
  for (int step = 0; step < steps; ++step) {
    const double gamma = 1e-8 * std::pow(1e7, step / (steps - 1.0));
    const SimulatedRows rows{n, d, 2, gamma, 0.0};
    const MeasuredAngles core_runs = measure_subspace(rows, SubspaceAggregate::Core, 1, run);
    const MeasuredAngles grid_runs = measure_subspace(rows, SubspaceAggregate::Grid, 1, run);
    const double by_core = core_runs.median();
    const double by_grid = grid_runs.median();
    if (by_core <= kUseful && core_runs.null_share() == 0.0) {
      for (const double sine : core_runs.sines) {
        logs.emplace_back(std::log(gamma), std::log(sine));
      }
    }
    for (auto [series, value] : {std::pair(&core, by_core), std::pair(&grid, by_grid)}) {
      series->x.push_back(gamma);
      series->y.push_back(value);
    }
    if (const double expected = core.y.front() * gamma / core.x.front(); expected <= 1.0) {
      rate.x.push_back(gamma);
      rate.y.push_back(expected);
    }
    largest_core = by_core <= kUseful ? gamma : largest_core;
    largest_grid = by_grid <= kUseful ? gamma : largest_grid;
    result.tables.front().rows.push_back({number(gamma), number(by_core),
                                          number(core_runs.null_share()), number(by_grid),
                                          number(grid_runs.null_share())});
    run.progress.at((step + 1.0) / steps);
  }
  const Slope slope = slope_of(logs);
  result.comparisons.push_back(
      {"error grows like gamma (core, while the median sine is at most 0.1)", "exponent 1",
       fmt::format("exponent {:.3f} +- {:.3f} (99.9%)", slope.value, slope.half_width),
       std::abs(slope.value - 1.0) <= slope.half_width});
  result.comparisons.push_back({"largest gamma with median sine at most 0.1: core against grid",
                                "(not in the paper)",
                                fmt::format("{:.2g} against {:.2g}", largest_core, largest_grid),
                                largest_core >= largest_grid});
  FigurePanel panel;
  panel.x = {.label = "gamma", .scale = Scale::Log10};
  panel.y = {.label = "median sine of the angle", .scale = Scale::Log10, .high = 1.0};
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
    const MeasuredAngles measured =
        measure_subspace({4000, 50, 2, 1e-4, share}, SubspaceAggregate::Core, 1, run);
    series.x.push_back(share);
    series.y.push_back(measured.useful_share());
    result.tables.front().rows.push_back(
        {number(share), number(measured.useful_share()), number(measured.mean())});
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
  FigureSeries one{.name = "plain", .mark = Mark::Filled};
  FigureSeries five{.name = "boosted, 5 parts", .mark = Mark::Hollow};
  const std::vector<double> gammas = run.effort == Effort::Full
                                         ? std::vector<double>{1e-5, 1e-4, 1e-3, 3e-3, 1e-2}
                                         : std::vector<double>{1e-4, 1e-3};
  for (const double gamma : gammas) {
    const SimulatedRows rows{6000, 20, 1, gamma, 0.0};
    const MeasuredAngles plain = measure_subspace(rows, SubspaceAggregate::Core, 1, run);
    const MeasuredAngles parts = measure_subspace(rows, SubspaceAggregate::Core, 5, run);
    for (auto [series, value] :
         {std::pair(&one, plain.useful_share()), std::pair(&five, parts.useful_share())}) {
      series->x.push_back(gamma);
      series->y.push_back(value);
    }
    agrees = agrees && (gamma > 1e-4 || parts.useful_share() >= 0.9);
    result.tables.front().rows.push_back(
        {number(gamma), number(plain.useful_share()), number(parts.useful_share())});
    run.progress.at(static_cast<double>(result.tables.front().rows.size()) /
                    static_cast<double>(gammas.size()));
  }
  result.comparisons.push_back({"boosted answers are right at small gamma",
                                "failure probability b with log(1/b) parts",
                                agrees ? "all" : "not all", agrees});
  FigurePanel panel;
  panel.x = {.label = "gamma", .scale = Scale::Log10};
  panel.y = {.label = "share of runs with sine <= 0.1", .low = 0.0, .high = 1.0};
  panel.series = {one, five};
  result.figures.push_back({"boosted",
                            {.title = "Boosted against plain",
                             .description = "Share of useful answers against gamma.",
                             .panels = {panel},
                             .notes = {}}});
  result.notes = {
      "The core averages over all groups, so one run on all rows needs no boosting to be "
      "reliable; parts cost accuracy."};
  return result;
}

}  // namespace

std::vector<Entry> subspace_entries() {
  return {
      {"singhal-steinke-rows", "rows needed to learn a subspace do not grow with columns",
       "Theorem 1.2",
       "The sample complexity n = O(k log(1/delta)/epsilon) is independent of the ambient "
       "dimension d.",
       rows_needed},
      {"singhal-steinke-gamma", "error of a learned subspace against gamma, core and grid",
       "Theorem 1.2",
       "gamma^2 may be as large as order epsilon alpha^2 n / (d^2 k log(1/delta)) times lower "
       "order factors.",
       gamma_allowed},
      {"singhal-steinke-corrupted", "learning a subspace with corrupted rows", "Section 1.2",
       "Our algorithm can tolerate o(n/k) input points being corrupted arbitrarily.",
       corrupted_rows},
      {"singhal-steinke-boosted", "boosted against plain subspace learning", "Section E",
       "Boosting reaches failure probability b by O(log(1/b)) runs on disjoint parts.", boosted},
      subspace_constants_entry()};
}

}  // namespace eigenveil::papers
