#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "eigenveil/report/fields.hpp"
#include "report/report_figures.hpp"

namespace eigenveil {
namespace {

/// Chance that noise alone lifts any cell of the whole picture above what is drawn.
constexpr double kFalseAlarms = 0.05;

/// The count that a deviation is exceeded with probability `tail` by noise of deviation one.
double upper_quantile(double tail, bool laplace) {
  if (laplace) {
    return std::log(0.5 / tail) / std::sqrt(2.0);
  }
  double low = 0.0;
  double high = 40.0;
  for (int i = 0; i < 80; ++i) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(middle / std::sqrt(2.0)) > tail ? low : high) = middle;
  }
  return high;
}

/// The tables of a score plot and the public numbers that place them.
struct ScorePlot {
  std::vector<FigureSeries> levels = {};  ///< with a cell above the noise; any other level last
  double threshold = 0.0;
  double largest = 0.0;
  FigurePanel frame = {};
  std::vector<std::string> hidden = {};  ///< levels without such a cell
};

FigureAxis axis_of(const ReleaseDocument& document, std::size_t axis) {
  const std::vector<double>& reach = *field<std::vector<double>>(document.parameters, "reach");
  const auto* axes = field<std::vector<double>>(document.parameters, "axes");
  const auto* all = field<std::vector<double>>(document.parameters, "axis_shares");
  const auto* inside = field<std::vector<double>>(document.parameters, kSharesInside);
  const auto* shares = inside != nullptr ? inside : all;
  FigureAxis result{axes != nullptr && axis < axes->size() ? fmt::format("PC{:g}", (*axes)[axis])
                                                           : std::string()};
  if (shares != nullptr && axis < shares->size() && std::isfinite((*shares)[axis])) {
    result.label += fmt::format(" ({:.0f}% of the variance{})", 100.0 * (*shares)[axis],
                                inside != nullptr ? " inside the basis" : "");
  }
  result.low = -reach[axis];
  result.high = reach[axis];
  return result;
}

/// Cells above the threshold, as marks in their middles. The tables have the second axis upwards.
FigureSeries cells_above(const ReleasedTable& table, const std::vector<double>& reach,
                         double threshold) {
  FigureSeries series;
  series.kind = SeriesKind::Points;
  const auto middle = [](Eigen::Index i, Eigen::Index cells, double end) {
    return end * ((2.0 * static_cast<double>(i) + 1.0) / static_cast<double>(cells) - 1.0);
  };
  const Eigen::Index rows = table.values.rows();
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index j = 0; j < table.values.cols(); ++j) {
      if (table.values(i, j) > threshold) {
        series.x.push_back(middle(j, table.values.cols(), reach[0]));
        series.y.push_back(middle(rows - 1 - i, rows, reach[1]));
        series.size.push_back(table.values(i, j));
      }
    }
  }
  return series;
}

std::optional<ScorePlot> score_plot(const ReleaseDocument& document) {
  const auto* sd = field<double>(document.parameters, "noise_sd_count");
  const auto* reach = field<std::vector<double>>(document.parameters, "reach");
  const auto* words = field<std::vector<std::string>>(document.parameters, "levels");
  if (document.task != "scores" || sd == nullptr || reach == nullptr || reach->size() != 2 ||
      document.tables.empty()) {
    return std::nullopt;
  }
  const auto cells = static_cast<double>(document.tables.front().values.size()) *
                     static_cast<double>(document.tables.size());
  ScorePlot plot;
  plot.threshold = score_limit(*sd, cells, std::holds_alternative<PureDp>(document.requested));
  plot.frame.x = axis_of(document, 0);
  plot.frame.y = axis_of(document, 1);
  const std::size_t count = document.tables.size();
  for (std::size_t i = 1; i <= count; ++i) {  // the first table is of any other level
    FigureSeries series = cells_above(document.tables[i % count], *reach, plot.threshold);
    series.name = count == 1                                  ? "all rows"
                  : i == count                                ? "any other level"
                  : words != nullptr && i - 1 < words->size() ? (*words)[i - 1]
                                                              : fmt::format("level {}", i);
    if (series.x.empty()) {
      plot.hidden.push_back(series.name);
      continue;
    }
    plot.largest =
        std::max(plot.largest, *std::max_element(series.size.begin(), series.size.end()));
    plot.levels.push_back(std::move(series));
  }
  return plot;
}

}  // namespace

double score_limit(double noise_sd, double cells, bool laplace) {
  return noise_sd * upper_quantile(kFalseAlarms / cells, laplace);
}

std::optional<Figure> scores_figure(const ReleaseDocument& document) {
  const std::optional<ScorePlot> plot = score_plot(document);
  if (!plot) {
    return std::nullopt;
  }
  Figure figure;
  figure.width = 400.0;
  figure.panel_height = 330.0;
  figure.title = "People on two private components";
  figure.description = "A noisy two-dimensional histogram of scores on released axes.";
  FigurePanel& panel = figure.panels.emplace_back(plot->frame);
  panel.series = plot->levels;
  if (!plot->levels.empty()) {
    figure.notes.push_back(
        {fmt::format("The area of a mark is the noisy number of people in its cell, {:.0f} in the "
                     "largest.",
                     plot->largest)});
  }
  figure.notes.push_back({fmt::format(
      "Drawn: cells above {:.3g}, which noise alone passes anywhere in this picture with "
      "probability {:g}%. The files have every noisy count.",
      plot->threshold, 100.0 * kFalseAlarms)});
  if (!plot->hidden.empty()) {
    figure.notes.push_back(
        {fmt::format("No cell stands out of the noise: {}.", fmt::join(plot->hidden, ", "))});
  }
  add_basis_note(figure, document.guarantee().basis);
  return figure;
}

std::optional<Figure> score_levels_figure(const ReleaseDocument& document) {
  const std::optional<ScorePlot> plot = score_plot(document);
  if (!plot || plot->levels.size() < 2) {
    return std::nullopt;
  }
  Figure figure;
  figure.columns = 2;
  figure.width = 640.0;
  figure.panel_height = 240.0;
  figure.title = "The same, level by level";
  figure.description = "Each level of the label on the same axes, with marks of the same scale.";
  for (const FigureSeries& series : plot->levels) {
    FigurePanel& panel = figure.panels.emplace_back(plot->frame);
    panel.title = series.name;
    for (FigureAxis* axis : {&panel.x, &panel.y}) {  // the shares stand in the picture above
      axis->label = axis->label.substr(0, axis->label.find(' '));
    }
    panel.series = {series};
  }
  add_basis_note(figure, document.guarantee().basis);
  return figure;
}

}  // namespace eigenveil
