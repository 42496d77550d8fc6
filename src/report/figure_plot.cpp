#include "report/figure_plot.hpp"

#include <algorithm>
#include <cmath>

#include "report/figure_text.hpp"

namespace eigenveil {
namespace {

void append(std::vector<double>& all, const std::vector<double>& some) {
  all.insert(all.end(), some.begin(), some.end());
}

std::vector<double> x_values(const FigurePanel& panel) {
  std::vector<double> values;
  bool bars = false;
  for (const FigureSeries& series : panel.series) {
    append(values, series.x);
    bars = bars || series.kind == SeriesKind::Bars;
  }
  if (bars && panel.x.scale == Scale::Linear && !values.empty()) {  // room for the outer halves
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const double first = *low - 0.5;
    const double last = *high + 0.5;
    values.insert(values.end(), {first, last});
  }
  for (const ReferenceLine& line : panel.lines) {
    if (!line.horizontal) {
      values.push_back(line.at);
    }
  }
  for (const ReferenceMark& mark : panel.marks) {
    values.push_back(mark.x);
  }
  return values;
}

std::vector<double> y_values(const FigurePanel& panel) {
  std::vector<double> values;
  for (const FigureSeries& series : panel.series) {
    append(values, series.y);
    append(values, series.low);
    append(values, series.high);
    if (series.kind == SeriesKind::Bars && panel.y.scale == Scale::Linear) {
      values.push_back(0.0);
    }
  }
  for (const ReferenceLine& line : panel.lines) {
    if (line.horizontal) {
      values.push_back(line.at);
    }
  }
  for (const ReferenceMark& mark : panel.marks) {
    values.push_back(mark.y);
  }
  return values;
}

int wanted_ticks(double length, double spacing, int most) {
  return std::clamp(static_cast<int>(length / spacing), 2, most);
}

std::vector<std::string> tick_labels(const AxisRange& range) {
  std::vector<std::string> labels;
  labels.reserve(range.ticks.size());
  for (const Tick& tick : range.ticks) {
    labels.push_back(tick.label);
  }
  return labels;
}

double widest(const std::vector<std::string>& labels, double size) {
  double width = 0.0;
  for (const std::string& label : labels) {
    width = std::max(width, text_width(label, size));
  }
  return width;
}

constexpr double kAxisLabelHeight = 20.0;
constexpr double kLongestRowLabel = 130.0;

/// Pixels between neighbouring ticks; log axes are spaced unevenly, so the smallest.
double tick_slot(const AxisRange& range, double length) {
  double slot = length;
  for (std::size_t i = 1; i < range.ticks.size(); ++i) {
    const double gap =
        range.position(range.ticks[i].value) - range.position(range.ticks[i - 1].value);
    slot = std::min(slot, std::abs(gap) * length);
  }
  return slot;
}

BottomLabels labels_below(const FigurePanel& panel, const PlotFrame& frame) {
  const double slot = tick_slot(frame.x, frame.box.width);
  if (panel.x.categories.empty()) {  // numbers are never turned, only thinned
    BottomLabels labels{false, 1, kTextSize + 8.0, 200.0};
    const double width = widest(tick_labels(frame.x), kSmallText) + 8.0;
    labels.stride = static_cast<std::size_t>(std::max(1.0, std::ceil(width / slot)));
    return labels;
  }
  return bottom_labels(panel.x.categories, slot, frame.box.x);
}

void draw_axes(SvgCanvas& canvas, const FigurePanel& panel, const PlotFrame& frame) {
  const Box& box = frame.box;
  for (const Tick& tick : frame.y.ticks) {
    const double y = frame.pixel_y(tick.value);
    canvas.line("ev-grid", {box.x, y}, {box.right(), y});
    canvas.text("ev-muted", {{box.x - 7.0, y + 4.0}, kSmallText, "end"},
                shorten(tick.label, kSmallText, kLongestRowLabel), tick.label);
  }
  const BottomLabels labels = labels_below(panel, frame);
  for (std::size_t i = 0; i < frame.x.ticks.size(); ++i) {
    const double x = frame.pixel_x(frame.x.ticks[i].value);
    if (panel.x.categories.empty()) {
      canvas.line("ev-grid", {x, box.y}, {x, box.bottom()});
    }
    canvas.line("ev-axis", {x, box.bottom()}, {x, box.bottom() + 4.0});
    if (i % labels.stride == 0) {
      draw_bottom_label(canvas, labels, {x, box.bottom() + 5.0}, frame.x.ticks[i].label,
                        frame.x.ticks[i].label);
    }
  }
  canvas.line("ev-axis", {box.x, box.bottom()}, {box.right(), box.bottom()});
  if (!panel.x.label.empty()) {
    canvas.text("ev-ink",
                {{box.x + box.width / 2, box.bottom() + labels.height + 17.0}, kTextSize, "middle"},
                shorten(panel.x.label, kTextSize, box.width + 60.0), panel.x.label);
  }
}

void draw_y_label(SvgCanvas& canvas, const FigurePanel& panel, const PlotFrame& frame) {
  if (panel.y.label.empty()) {
    return;
  }
  const double ticks = std::min(kLongestRowLabel, widest(tick_labels(frame.y), kSmallText));
  const Point at{frame.box.x - ticks - 16.0, frame.box.y + frame.box.height / 2};
  canvas.text("ev-ink", {at, kTextSize, "middle", -90.0},
              shorten(panel.y.label, kTextSize, frame.box.height + 40.0), panel.y.label);
}

}  // namespace

BottomLabels bottom_labels(const std::vector<std::string>& labels, double slot, double left) {
  BottomLabels result{false, 1, kTextSize + 8.0, slot - 6.0};
  const double width = widest(labels, kSmallText);
  if (width <= slot - 6.0) {
    return result;
  }
  constexpr double kDiagonal = 0.7072;
  result.turned = true;
  // The first label reaches to the left of its tick: it must end inside the drawing.
  result.longest = std::min(130.0, (left + slot / 2 - 4.0) / kDiagonal);
  result.height = std::min(width, result.longest) * kDiagonal + kTextSize + 4.0;
  result.stride = static_cast<std::size_t>(std::max(1.0, std::ceil(15.0 / slot)));
  return result;
}

void draw_bottom_label(SvgCanvas& canvas, const BottomLabels& labels, Point at,
                       const std::string& text, const std::string& name) {
  const std::string shown = shorten(text, kSmallText, labels.longest);
  if (labels.turned) {
    canvas.text("ev-muted", {{at.x + 4.0, at.y + 9.0}, kSmallText, "end", -45.0}, shown, name);
  } else {
    canvas.text("ev-muted", {{at.x, at.y + 13.0}, kSmallText, "middle"}, shown, name);
  }
}

PlotFrame plot_frame(const FigurePanel& panel, const Box& box) {
  return {box, axis_range(panel.x, x_values(panel), wanted_ticks(box.width, 56.0, 8)),
          axis_range(panel.y, y_values(panel), wanted_ticks(box.height, 40.0, 8))};
}

PanelSpace plot_space(const FigurePanel& panel, double width, double plot_height) {
  PanelSpace space;
  space.plot_height = plot_height;
  const double guess = std::max(60.0, width - 70.0);
  const PlotFrame rough = plot_frame(panel, {70.0, 0.0, guess, plot_height});
  space.left = std::min(kLongestRowLabel, widest(tick_labels(rough.y), kSmallText)) + 10.0 +
               (panel.y.label.empty() ? 0.0 : kAxisLabelHeight);
  const std::vector<std::string> below = tick_labels(rough.x);
  const bool numbers = panel.x.categories.empty() && !below.empty();
  space.right = std::max(8.0, numbers ? text_width(below.back(), kSmallText) / 2 + 2.0 : 0.0);
  const PlotFrame frame = plot_frame(
      panel, {space.left, 0.0, std::max(60.0, width - space.left - space.right), plot_height});
  space.below =
      labels_below(panel, frame).height + (panel.x.label.empty() ? 4.0 : kAxisLabelHeight + 4.0);
  return space;
}

void draw_plot(SvgCanvas& canvas, const FigurePanel& panel, const SeriesLooks& looks,
               const Box& plot) {
  const PlotFrame frame = plot_frame(panel, plot);
  draw_axes(canvas, panel, frame);
  draw_y_label(canvas, panel, frame);
  draw_all_series(canvas, panel, looks, frame);
  draw_references(canvas, panel, frame);
}

}  // namespace eigenveil
