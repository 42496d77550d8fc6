#pragma once

#include "report/figure_canvas.hpp"
#include "report/figure_panel.hpp"
#include "report/figure_scale.hpp"

namespace eigenveil {

/// Maps values to pixels inside a plotting area.
struct PlotFrame {
  Box box;
  AxisRange x;
  AxisRange y;

  double pixel_x(double value) const { return box.x + x.position(value) * box.width; }
  double pixel_y(double value) const { return box.bottom() - y.position(value) * box.height; }
  bool draws_x(double value) const { return can_be_drawn(value, x.scale); }
  bool draws_y(double value) const { return can_be_drawn(value, y.scale); }
};

PlotFrame plot_frame(const FigurePanel& panel, const Box& box);

/// Draws bands, bars, lines, error bars and marks, in this order.
void draw_all_series(SvgCanvas& canvas, const FigurePanel& panel, const SeriesLooks& looks,
                     const PlotFrame& frame);

/// One mark, for the plot and the legend.
constexpr double kMarkRadius = 4.0;
void draw_mark(SvgCanvas& canvas, const SeriesLook& look, bool hollow, Point at,
               double radius = kMarkRadius);

/// Reference lines and marks with labels where they cover the least of the data.
void draw_references(SvgCanvas& canvas, const FigurePanel& panel, const PlotFrame& frame);

}  // namespace eigenveil
