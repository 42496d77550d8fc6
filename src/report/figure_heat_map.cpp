#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/figure_panel.hpp"
#include "report/figure_scale.hpp"
#include "report/figure_text.hpp"

namespace eigenveil {
namespace {

constexpr double kWidestCell = 72.0;
constexpr double kLegendHeight = 28.0;

double largest_size(const Matrix& values) {
  double largest = 0.0;
  for (Eigen::Index j = 0; j < values.cols(); ++j) {
    for (Eigen::Index i = 0; i < values.rows(); ++i) {
      if (can_be_drawn(values(i, j), Scale::Linear)) {
        largest = std::max(largest, std::abs(values(i, j)));
      }
    }
  }
  return largest;
}

std::string cell_text(double value, double largest) {
  const bool plain = largest < 1e4 && largest >= 0.01;
  const int decimals = largest < 10.0 ? 2 : largest < 100.0 ? 1 : 0;
  std::string text = plain ? fmt::format("{:.{}f}", value, decimals) : fmt::format("{:.1e}", value);
  if (text.find_first_not_of("-0.") == std::string::npos) {
    text.erase(0, text.front() == '-' ? 1 : 0);
  }
  return text.front() == '-' ? fmt::format("\u2212{}", text.substr(1)) : text;
}

struct Grid {
  Box area;
  Eigen::Index rows;
  Eigen::Index columns;
  double cell_width() const {
    return area.width / static_cast<double>(std::max<Eigen::Index>(1, columns));
  }
  double cell_height() const {
    return area.height / static_cast<double>(std::max<Eigen::Index>(1, rows));
  }
  Box cell(Eigen::Index i, Eigen::Index j) const {
    return {area.x + static_cast<double>(j) * cell_width(),
            area.y + static_cast<double>(i) * cell_height(), cell_width(), cell_height()};
  }
};

/// Cells are capped in width, so a map of few columns does not become a wall of colour.
Grid grid_of(const HeatMap& map, const Box& plot) {
  const auto columns = static_cast<double>(std::max<Eigen::Index>(1, map.values.cols()));
  return {{plot.x, plot.y, std::min(plot.width, columns * kWidestCell), plot.height},
          map.values.rows(),
          map.values.cols()};
}

bool texts_fit(const HeatMap& map, const Grid& grid, double largest) {
  double widest = 0.0;
  for (Eigen::Index j = 0; j < map.values.cols(); ++j) {
    for (Eigen::Index i = 0; i < map.values.rows(); ++i) {
      if (can_be_drawn(map.values(i, j), Scale::Linear)) {
        widest = std::max(widest, text_width(cell_text(map.values(i, j), largest), kSmallText));
      }
    }
  }
  return widest + 4.0 <= grid.cell_width() && grid.cell_height() >= kSmallText + 3.0;
}

/// A sign is a mark and no second hue: orange means a person given away, and grey print has no
/// hues.
void draw_minus(SvgCanvas& canvas, const Box& cell, double share) {
  const double middle = cell.y + cell.height / 2 - 0.5;
  canvas.line(share > 0.62 ? "ev-minus ev-minus-on-colour" : "ev-minus",
              {cell.x + 0.3 * cell.width, middle}, {cell.x + 0.7 * cell.width, middle});
}

void draw_cells(SvgCanvas& canvas, const HeatMap& map, const Grid& grid, double largest) {
  const bool with_text = texts_fit(map, grid, largest);
  const double gap = std::min(grid.cell_width(), grid.cell_height()) > 6.0 ? 1.0 : 0.0;
  for (Eigen::Index i = 0; i < map.values.rows(); ++i) {
    for (Eigen::Index j = 0; j < map.values.cols(); ++j) {
      const double value = map.values(i, j);
      const Box cell = grid.cell(i, j);
      if (!can_be_drawn(value, Scale::Linear)) {
        continue;
      }
      const double share = largest > 0.0 ? std::abs(value) / largest : 0.0;
      canvas.rectangle("ev-positive", {cell.x, cell.y, cell.width - gap, cell.height - gap},
                       std::min(share, 0.999));
      if (value < 0.0 && !with_text) {
        draw_minus(canvas, cell, share);
      }
      if (with_text) {
        canvas.text(
            share > 0.62 ? "ev-on-colour" : "ev-ink",
            {{cell.x + cell.width / 2, cell.y + cell.height / 2 + 4.0}, kSmallText, "middle"},
            cell_text(value, largest));
      }
    }
  }
  canvas.rectangle("ev-frame", grid.area);
}

/// The scale of colours: minus the largest, zero, plus the largest. It ends where the plot ends.
void draw_colour_scale(SvgCanvas& canvas, const HeatMap& map, const Box& plot, double top,
                       double largest) {
  constexpr int kSteps = 10;
  constexpr double kStep = 6.0;
  constexpr double kBar = kStep * (2 * kSteps + 1);
  const std::string low = cell_text(-largest, largest);
  const std::string high =
      fmt::format("+{}  {}", cell_text(largest, largest), shorten(map.name, kSmallText, 140.0));
  const double low_width = text_width(low, kSmallText) + 6.0;
  const double total = low_width + kBar + 6.0 + text_width(high, kSmallText);
  double x = std::max(14.0, std::min(plot.x, plot.right() - total));
  canvas.text("ev-muted", {{x, top + 11.0}, kSmallText, "start"}, low);
  x += low_width;
  for (int i = -kSteps; i <= kSteps; ++i) {
    const double share = std::abs(i) / static_cast<double>(kSteps);
    const Box step{x + kStep * (i + kSteps), top, kStep, 13.0};
    canvas.rectangle("ev-positive", step, std::min(0.999, share));
    if (i < 0) {
      draw_minus(canvas, step, share);
    }
  }
  canvas.rectangle("ev-frame", {x, top, kBar, 13.0});
  canvas.text("ev-muted", {{x + kBar + 6.0, top + 11.0}, kSmallText, "start"}, high);
}

double row_height(const HeatMap& map, double cell_width) {
  const auto rows = static_cast<double>(std::max<Eigen::Index>(1, map.values.rows()));
  const bool square = map.values.rows() == map.values.cols();
  const double wanted = square ? std::clamp(cell_width, 10.0, 34.0) : 22.0;
  return rows * wanted <= 620.0 ? wanted : std::max(2.0, 620.0 / rows);
}

double name_width(const std::vector<std::string>& names) {
  double width = 0.0;
  for (const std::string& name : names) {
    width = std::max(width, text_width(name, kSmallText));
  }
  return width;
}

/// Names below a map, as short as they stay apart.
std::vector<std::string> column_labels(const HeatMap& map) {
  constexpr double kLongest = 130.0;
  return short_names(map.column_names, kSmallText, kLongest);
}

}  // namespace

PanelSpace heat_map_space(const FigurePanel& panel, double width) {
  const HeatMap& map = *panel.heat_map;
  PanelSpace space;
  space.left = std::min(name_width(map.row_names), 0.38 * width) + 10.0;
  space.right = 8.0;
  const Grid grid = grid_of(map, {space.left, 0.0, width - space.left - space.right, 100.0});
  space.plot_height = row_height(map, grid.cell_width()) *
                      static_cast<double>(std::max<Eigen::Index>(1, map.values.rows()));
  space.below =
      bottom_labels(column_labels(map), grid.cell_width(), space.left).height + kLegendHeight;
  return space;
}

void draw_heat_map(SvgCanvas& canvas, const FigurePanel& panel, const Box& plot) {
  const HeatMap& map = *panel.heat_map;
  const Grid grid = grid_of(map, plot);
  const double largest = largest_size(map.values);
  draw_cells(canvas, map, grid, largest);
  const auto stride = static_cast<std::size_t>(std::max(1.0, std::ceil(12.0 / grid.cell_height())));
  const auto rows = std::min(map.row_names.size(), static_cast<std::size_t>(grid.rows));
  const std::vector<std::string> labels = short_names(map.row_names, kSmallText, plot.x - 10.0);
  for (std::size_t i = 0; i < rows; i += stride) {
    const Box cell = grid.cell(static_cast<Eigen::Index>(i), 0);
    canvas.text("ev-muted", {{plot.x - 6.0, cell.y + cell.height / 2 + 4.0}, kSmallText, "end"},
                labels[i], map.row_names[i]);
  }
  const std::vector<std::string> names = column_labels(map);
  const BottomLabels below = bottom_labels(names, grid.cell_width(), plot.x);
  const auto columns = std::min(map.column_names.size(), static_cast<std::size_t>(grid.columns));
  for (std::size_t j = 0; j < columns; j += below.stride) {
    const Box cell = grid.cell(0, static_cast<Eigen::Index>(j));
    draw_bottom_label(canvas, below, {cell.x + cell.width / 2, plot.bottom()}, names[j],
                      map.column_names[j]);
  }
  draw_colour_scale(canvas, map, plot, plot.bottom() + below.height + 10.0, largest);
}

}  // namespace eigenveil
