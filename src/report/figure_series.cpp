#include <algorithm>
#include <cmath>
#include <map>

#include "report/figure_plot.hpp"

namespace eigenveil {
namespace {

/// Half of a cell of a score plot, about.
constexpr double kLargestRadius = 10.0;
constexpr double kSmallestRadius = 1.8;

bool has_error_bars(const FigureSeries& series) {
  return series.kind != SeriesKind::Band && !series.low.empty();
}

std::size_t length_of(const FigureSeries& series) {
  return series.kind == SeriesKind::Band
             ? std::min({series.x.size(), series.low.size(), series.high.size()})
             : std::min(series.x.size(), series.y.size());
}

bool draws_point(const FigureSeries& series, const PlotFrame& frame, std::size_t i) {
  if (!frame.draws_x(series.x[i])) {
    return false;
  }
  return series.kind == SeriesKind::Band
             ? frame.draws_y(series.low[i]) && frame.draws_y(series.high[i])
             : frame.draws_y(series.y[i]);
}

/// A value far outside of fixed ends is moved just outside of the clipped area.
double near(double pixel, double low, double high) {
  return std::clamp(pixel, low - 1e4, high + 1e4);
}

Point pixel(const PlotFrame& frame, double x, double y) {
  return {near(frame.pixel_x(x), frame.box.x, frame.box.right()),
          near(frame.pixel_y(y), frame.box.y, frame.box.bottom())};
}

/// Runs of neighbouring values that can be drawn: a gap in the data is a gap in the line.
std::vector<std::vector<std::size_t>> drawable_runs(const FigureSeries& series,
                                                    const PlotFrame& frame) {
  std::vector<std::vector<std::size_t>> runs(1);
  for (std::size_t i = 0; i < length_of(series); ++i) {
    if (draws_point(series, frame, i)) {
      runs.back().push_back(i);
    } else if (!runs.back().empty()) {
      runs.emplace_back();
    }
  }
  if (runs.back().empty()) {
    runs.pop_back();
  }
  return runs;
}

void draw_band(SvgCanvas& canvas, const FigureSeries& series, const SeriesLook& look,
               const PlotFrame& frame) {
  for (const std::vector<std::size_t>& run : drawable_runs(series, frame)) {
    std::vector<Point> outline;
    outline.reserve(2 * run.size());
    for (const std::size_t i : run) {
      outline.push_back(pixel(frame, series.x[i], series.high[i]));
    }
    for (auto i = run.rbegin(); i != run.rend(); ++i) {
      outline.push_back(pixel(frame, series.x[*i], series.low[*i]));
    }
    canvas.polygon("ev-band " + look.fill(), outline);
  }
}

/// Series of bars at the same place stand side by side.
struct BarSlot {
  std::size_t index = 0;
  std::size_t count = 1;
};

double smallest_gap(const FigureSeries& series, const PlotFrame& frame) {
  std::vector<double> pixels;
  for (std::size_t i = 0; i < length_of(series); ++i) {
    if (draws_point(series, frame, i)) {
      pixels.push_back(frame.pixel_x(series.x[i]));
    }
  }
  std::sort(pixels.begin(), pixels.end());
  double gap = std::min(80.0, frame.box.width / std::max(1.0, frame.x.high - frame.x.low));
  for (std::size_t i = 1; i < pixels.size(); ++i) {
    if (pixels[i] > pixels[i - 1]) {
      gap = std::min(gap, pixels[i] - pixels[i - 1]);
    }
  }
  return std::max(1.0, gap);
}

void draw_bars(SvgCanvas& canvas, const FigureSeries& series, const SeriesLook& look,
               const PlotFrame& frame, BarSlot slot) {
  const double group = 0.78 * smallest_gap(series, frame);
  const double width = group / static_cast<double>(slot.count);
  const double base = frame.y.scale == Scale::Log10
                          ? frame.box.bottom()
                          : frame.pixel_y(std::clamp(0.0, frame.y.low, frame.y.high));
  for (std::size_t i = 0; i < length_of(series); ++i) {
    if (draws_point(series, frame, i)) {
      const Point top = pixel(frame, series.x[i], series.y[i]);
      const double left = top.x - group / 2 + static_cast<double>(slot.index) * width;
      canvas.rectangle(look.fill(), {left, std::min(top.y, base), std::max(1.0, width - 1.0),
                                     std::abs(top.y - base)});
    }
  }
}

void draw_line(SvgCanvas& canvas, const FigureSeries& series, const SeriesLook& look,
               const PlotFrame& frame) {
  for (const std::vector<std::size_t>& run : drawable_runs(series, frame)) {
    std::vector<Point> points;
    points.reserve(run.size());
    for (const std::size_t i : run) {
      points.push_back(pixel(frame, series.x[i], series.y[i]));
    }
    if (points.size() == 1) {  // a line of one value would be invisible
      draw_mark(canvas, look, series.mark == Mark::Hollow, points.front());
    }
    canvas.polyline(look.stroke(), points);
  }
}

void draw_error_bars(SvgCanvas& canvas, const FigureSeries& series, const SeriesLook& look,
                     const PlotFrame& frame) {
  const std::size_t count = std::min({length_of(series), series.low.size(), series.high.size()});
  const std::string stroke = look.reference ? "ev-thin ev-r" : "ev-thin " + look.hollow();
  for (std::size_t i = 0; i < count; ++i) {
    if (draws_point(series, frame, i) && frame.draws_y(series.low[i]) &&
        frame.draws_y(series.high[i])) {
      const Point low = pixel(frame, series.x[i], series.low[i]);
      const Point high = pixel(frame, series.x[i], series.high[i]);
      canvas.line(stroke, low, high);
      canvas.line(stroke, {low.x - 4.0, low.y}, {low.x + 4.0, low.y});
      canvas.line(stroke, {high.x - 4.0, high.y}, {high.x + 4.0, high.y});
    }
  }
}

void draw_marks(SvgCanvas& canvas, const FigureSeries& series, const SeriesLook& look,
                const PlotFrame& frame, double largest) {
  const double most = std::min(kLargestRadius, 0.028 * frame.box.width);
  for (std::size_t i = 0; i < length_of(series); ++i) {
    if (draws_point(series, frame, i) && frame.x.covers(series.x[i]) &&
        frame.y.covers(series.y[i])) {
      const double radius =
          i < series.size.size() && largest > 0.0
              ? std::max(kSmallestRadius, most * std::sqrt(series.size[i] / largest))
              : kMarkRadius;
      draw_mark(canvas, look, series.mark == Mark::Hollow, pixel(frame, series.x[i], series.y[i]),
                radius);
    }
  }
}

}  // namespace

void draw_mark(SvgCanvas& canvas, const SeriesLook& look, bool hollow, Point at, double radius) {
  const std::string style =
      (hollow ? look.hollow() : look.fill()) + (radius == kMarkRadius ? "" : " ev-sized");
  const double r = radius;
  switch (look.index % 5) {
    case 0:
      canvas.circle(style, at, r);
      return;
    case 1:
      canvas.rectangle(style, {at.x - r + 0.4, at.y - r + 0.4, 2 * r - 0.8, 2 * r - 0.8});
      return;
    case 2:
      canvas.polygon(style, {{at.x, at.y - 1.2 * r},
                             {at.x + 1.1 * r, at.y + 0.8 * r},
                             {at.x - 1.1 * r, at.y + 0.8 * r}});
      return;
    case 3:
      canvas.polygon(style, {{at.x, at.y - 1.3 * r},
                             {at.x + 1.3 * r, at.y},
                             {at.x, at.y + 1.3 * r},
                             {at.x - 1.3 * r, at.y}});
      return;
    default:
      canvas.polygon(style, {{at.x, at.y + 1.2 * r},
                             {at.x + 1.1 * r, at.y - 0.8 * r},
                             {at.x - 1.1 * r, at.y - 0.8 * r}});
  }
}

void draw_all_series(SvgCanvas& canvas, const FigurePanel& panel, const SeriesLooks& looks,
                     const PlotFrame& frame) {
  BarSlot slot{0, 0};
  for (const FigureSeries& series : panel.series) {
    slot.count += series.kind == SeriesKind::Bars ? 1 : 0;
  }
  constexpr double kHalfStroke = 2.0;
  canvas.begin_clip({frame.box.x - kHalfStroke, frame.box.y - kHalfStroke,
                     frame.box.width + 2 * kHalfStroke, frame.box.height + 2 * kHalfStroke});
  const auto for_each = [&](SeriesKind kind, auto&& draw) {
    for (std::size_t i = 0; i < panel.series.size(); ++i) {
      if (panel.series[i].kind == kind) {
        draw(panel.series[i], looks.look(panel.series[i], i));
      }
    }
  };
  for_each(SeriesKind::Band, [&](const FigureSeries& series, const SeriesLook& look) {
    draw_band(canvas, series, look, frame);
  });
  for_each(SeriesKind::Bars, [&](const FigureSeries& series, const SeriesLook& look) {
    draw_bars(canvas, series, look, frame, slot);
    ++slot.index;
  });
  for_each(SeriesKind::Line, [&](const FigureSeries& series, const SeriesLook& look) {
    draw_line(canvas, series, look, frame);
  });
  canvas.end_clip();
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    const FigureSeries& series = panel.series[i];
    const SeriesLook look = looks.look(series, i);
    if (has_error_bars(series)) {
      draw_error_bars(canvas, series, look, frame);
    }
    if (series.kind == SeriesKind::Points ||
        (series.kind == SeriesKind::Line && series.mark != Mark::None)) {
      draw_marks(canvas, series, look, frame, looks.largest_mark());
    }
  }
}

}  // namespace eigenveil
