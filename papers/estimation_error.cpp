#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "core/symmetric_eigen.hpp"
#include "mechanism/sharp/sharp_privacy.hpp"
#include "papers/genotype_panel.hpp"
#include "sampling/bingham_draws.hpp"
#include "sampling/bingham_gibbs.hpp"

namespace eigenveil::papers {
namespace {

struct Errors {
  double operator2 = 0.0;
  double frobenius2 = 0.0;
};

/// In the eigenbasis UᵀV is the top of the frame: |UUᵀ - VVᵀ|_op² = 1 - σ_min², |.|_F² = 2k -
/// 2|UᵀV|².
Errors errors_of(const Matrix& frame) {
  const Eigen::Index k = frame.cols();
  const Matrix top = frame.topRows(k);
  const Vector squares = symmetric_eigen(top.transpose() * top).values;
  return {std::clamp(1.0 - squares[k - 1], 0.0, 1.0),
          2.0 * (static_cast<double>(k) - squares.sum())};
}

struct MeasuredError {
  double beta = 0.0;
  Errors mean;
  bool exact = true;
};

/// Exact draws where a proposal is soon accepted; below the last phase transition, where it is not,
/// one long Gibbs chain.
Result<MeasuredError> measure_error(const GenotypePanel& panel, Eigen::Index k, double beta,
                                    std::size_t draws, RandomStream& stream) {
  constexpr double kFewTries = 100.0;
  constexpr int kBurnIn = 200;
  const double exponent = 0.5 * panel.dimension() * beta;
  std::vector<Errors> errors(draws);  // by draw: the sum must not depend on threads
  const auto exact = BinghamSampler::make(panel.eigenvalues, exponent, k, kFewTries);
  if (exact) {
    for_each_draw(*exact, draws, stream, static_cast<unsigned>(default_threads()),
                  [&](std::size_t i, const Matrix& frame) { errors[i] = errors_of(frame); });
  } else {
    const auto chain = BinghamGibbsSampler::make(panel.eigenvalues, exponent, k, kBurnIn);
    if (!chain) {
      return error_of(chain);
    }
    Matrix frame = chain->draw(stream);
    for (std::size_t i = 0; i < draws; ++i) {
      chain->sweep(stream, frame);
      errors[i] = errors_of(frame);
    }
  }
  Errors total;
  for (const Errors& one : errors) {
    total.operator2 += one.operator2;
    total.frobenius2 += one.frobenius2;
  }
  const auto count = static_cast<double>(draws);
  return MeasuredError{
      beta, {total.operator2 / count, total.frobenius2 / count}, exact.has_value()};
}

std::vector<double> levels_for(const SharpPrivacy& sharp, int steps) {
  std::vector<double> levels;
  const double low = 0.3 * sharp.phase_transitions().minCoeff();
  const double high = 12.0 * sharp.threshold();
  for (int i = 0; i < steps; ++i) {
    levels.push_back(low * std::pow(high / low, i / (steps - 1.0)));
  }
  return levels;
}

/// One k in both panels: the curve of Theorem 1, exact means, and hollow means of the chain.
void add_error_series(Figure& figure, const SharpPrivacy& sharp, Eigen::Index k,
                      const std::vector<MeasuredError>& points) {
  for (std::size_t panel = 0; panel < 2; ++panel) {
    const auto predicted = [&](double beta) {
      return panel == 0 ? sharp.error_operator2(beta) : sharp.error_frobenius2(beta);
    };
    FigureSeries curve{.name = fmt::format("k = {}, predicted", k)};
    for (const double beta : levels_for(sharp, 120)) {
      curve.x.push_back(beta);
      curve.y.push_back(predicted(beta));
    }
    FigureSeries exact{.name = fmt::format("k = {}, exact draws", k), .kind = SeriesKind::Points};
    FigureSeries chain{.name = fmt::format("k = {}, approximate (Gibbs chain)", k),
                       .kind = SeriesKind::Points,
                       .mark = Mark::Hollow};
    for (const MeasuredError& point : points) {
      FigureSeries& series = point.exact ? exact : chain;
      series.x.push_back(point.beta);
      series.y.push_back(panel == 0 ? point.mean.operator2 : point.mean.frobenius2);
    }
    FigurePanel& drawn = figure.panels[panel];
    drawn.series.push_back(curve);
    for (const FigureSeries& series : {exact, chain}) {
      if (!series.x.empty()) {
        drawn.series.push_back(series);
      }
    }
    if (k == 3) {
      for (Eigen::Index i = 0; i < k; ++i) {
        drawn.lines.push_back({false, sharp.phase_transitions()[i], fmt::format("H{}", i + 1)});
      }
    }
  }
}

Figure empty_figure(const std::string& name) {
  Figure figure;
  figure.title = "Estimation error against beta, " + name;
  figure.description =
      "Mean squared error of the drawn subspace in operator and Frobenius norm against beta, with "
      "the predicted curves and their phase transitions.";
  figure.columns = 2;
  figure.width = 900;
  for (const char* label : {"operator norm squared", "Frobenius norm squared"}) {
    FigurePanel panel;
    panel.x = {.label = "beta", .scale = Scale::Log10};
    panel.y.label = label;
    panel.y.low = 0.0;
    figure.panels.push_back(panel);
  }
  return figure;
}

Result<void> run_error_panel(const GenotypePanel& panel, EntryRun& run, Reproduction& result) {
  const bool full = run.effort == Effort::Full;
  const std::size_t draws = full ? 30'000 : 300;
  Figure figure = empty_figure(panel.name);
  double largest = 0.0;
  bool approximate = false;
  for (const Eigen::Index k : {1, 2, 3}) {
    const Result<SharpPrivacy> sharp = SharpPrivacy::make(panel.eigenvalues, panel.rows(), k);
    if (!sharp) {
      return error_of(sharp);
    }
    std::vector<MeasuredError> points;
    for (const double beta : levels_for(*sharp, full ? 16 : 7)) {
      const Result<MeasuredError> point = measure_error(panel, k, beta, draws, run.stream);
      if (!point) {
        return error_of(point);
      }
      points.push_back(*point);
      approximate = approximate || !point->exact;
      if (beta > 2.0 * sharp->threshold()) {
        largest = std::max(largest, std::abs(point->mean.operator2 - sharp->error_operator2(beta)));
      }
      result.tables.front().rows.push_back({panel.name, fmt::format("{}", k),
                                            fmt::format("{:.4g}", beta),
                                            fmt::format("{:.4f}", point->mean.operator2),
                                            fmt::format("{:.4f}", sharp->error_operator2(beta)),
                                            fmt::format("{:.4f}", point->mean.frobenius2),
                                            fmt::format("{:.4f}", sharp->error_frobenius2(beta)),
                                            point->exact ? "exact" : "approximate"});
    }
    add_error_series(figure, *sharp, k, points);
  }
  result.comparisons.push_back(
      {fmt::format("{}: operator norm error against Theorem 1 beyond twice the last transition",
                   panel.name),
       "close", fmt::format("largest difference {:.3f}", largest), largest <= 0.1});
  if (approximate) {
    figure.notes = {{.text = "hollow marks: approximate", .level = NoteLevel::Caution}};
  }
  result.figures.push_back({"fig3-" + panel.file_name, figure});
  return {};
}

Result<Reproduction> produce_estimation_error(EntryRun& run) {
  Reproduction result;
  result.tables.push_back(
      {"errors",
       "Mean squared errors over the draws beside the prediction.",
       {"data", "k", "beta", "operator^2", "predicted", "Frobenius^2", "predicted F", "draws"},
       {}});
  if (const Result<void> done = run_on_panels(run, result, &run_error_panel); !done) {
    return error_of(done);
  }
  result.notes.emplace_back(
      "Filled marks are exact draws. Where several columns are not captured no exact sampler is "
      "efficient; there one Gibbs chain (200 sweeps of burn-in) stands in, and the mark is hollow. "
      "'Close' is taken as 0.1 in the squared operator norm.");
  return result;
}

}  // namespace

Entry estimation_error_entry() {
  return {"yun-dudeja-fig3", "estimation error against the noise level, with phase transitions",
          "Figure 3",
          "Figure 3: Estimation error of the exponential mechanism in operator norm and Frobenius "
          "norm as a function of beta for k = 1, 2, 3; theoretical predictions of Theorem 1 and "
          "averages over 30,000 simulations; phase transitions at beta = H(lambda_1..3).",
          produce_estimation_error};
}

}  // namespace eigenveil::papers
