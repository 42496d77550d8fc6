#pragma once

#include <cstddef>

#include "report/figure.hpp"
#include "report/figure_canvas.hpp"
#include "report/figure_style.hpp"

namespace eigenveil {

inline constexpr double kTextSize = 13.0;
inline constexpr double kSmallText = 12.0;

/// Room a panel needs around its plotting area.
struct PanelSpace {
  double left = 0.0;   ///< tick labels and the label of the axis
  double right = 0.0;  ///< the half of the last tick label that sticks out
  double below = 0.0;
  double plot_height = 0.0;
};

/// Names or numbers below the plotting area: straight, or turned where they would touch.
struct BottomLabels {
  bool turned = false;
  std::size_t stride = 1;  ///< every stride-th label is written
  double height = 0.0;
  double longest = 0.0;  ///< longer labels are shortened
};
BottomLabels bottom_labels(const std::vector<std::string>& labels, double slot, double left);
/// `name` is what is shown where one points at it.
void draw_bottom_label(SvgCanvas& canvas, const BottomLabels& labels, Point at,
                       const std::string& text, const std::string& name);

PanelSpace plot_space(const FigurePanel& panel, double width, double plot_height);
void draw_plot(SvgCanvas& canvas, const FigurePanel& panel, const SeriesLooks& looks,
               const Box& plot);

PanelSpace heat_map_space(const FigurePanel& panel, double width);
void draw_heat_map(SvgCanvas& canvas, const FigurePanel& panel, const Box& plot);

/// How many values of a panel cannot be drawn.
std::size_t undrawn_values(const FigurePanel& panel);

}  // namespace eigenveil
