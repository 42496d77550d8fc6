#include <algorithm>
#include <cmath>

#include "report/figure_plot.hpp"
#include "report/figure_text.hpp"

namespace eigenveil {
namespace {

struct Label {
  Point at;  ///< baseline
  std::string_view anchor;
  Box box;
};

Label label_at(Point at, std::string_view anchor, double width) {
  const double left = anchor == "start" ? at.x : anchor == "end" ? at.x - width : at.x - width / 2;
  return {at, anchor, {left - 2.0, at.y - kSmallText, width + 4.0, kSmallText + 4.0}};
}

/// Pixels the data covers, so that labels can stay away from them.
std::vector<Point> covered_pixels(const FigurePanel& panel, const PlotFrame& frame) {
  std::vector<Point> pixels;
  for (const FigureSeries& series : panel.series) {
    const std::size_t count = std::min(series.x.size(), series.y.size());
    for (std::size_t i = 0; i < count; ++i) {
      if (!frame.draws_x(series.x[i]) || !frame.draws_y(series.y[i])) {
        continue;
      }
      const Point point{frame.pixel_x(series.x[i]), frame.pixel_y(series.y[i])};
      if (series.kind == SeriesKind::Line && i > 0 && frame.draws_x(series.x[i - 1]) &&
          frame.draws_y(series.y[i - 1])) {
        const Point before{frame.pixel_x(series.x[i - 1]), frame.pixel_y(series.y[i - 1])};
        for (const double share : {0.2, 0.4, 0.6, 0.8}) {
          pixels.push_back(
              {before.x + share * (point.x - before.x), before.y + share * (point.y - before.y)});
        }
      }
      pixels.push_back(point);
      if (series.kind == SeriesKind::Bars) {
        const int steps = static_cast<int>((frame.box.bottom() - point.y) / (kSmallText / 2));
        for (int step = 0; step < std::min(steps, 1000); ++step) {
          pixels.push_back({point.x, point.y + step * (kSmallText / 2)});
        }
      }
    }
  }
  return pixels;
}

/// Places labels one after the other where they cover nothing, or as little as possible.
class LabelPlacer {
 public:
  LabelPlacer(const FigurePanel& panel, const PlotFrame& frame)
      : area_(frame.box), covered_(covered_pixels(panel, frame)) {}

  void place(SvgCanvas& canvas, const std::vector<Label>& candidates, const std::string& shown,
             const std::string& text) {
    const Label* best = nullptr;
    double best_cost = INFINITY;
    for (const Label& candidate : candidates) {
      const double cost = cost_of(candidate.box);
      if (cost < best_cost) {
        best = &candidate;
        best_cost = cost;
      }
    }
    if (best != nullptr) {
      taken_.push_back(best->box);
      canvas.text("ev-halo", {best->at, kSmallText, best->anchor}, shown, text);
    }
  }

 private:
  double cost_of(const Box& box) const {
    constexpr double kOutside = 1e4;
    constexpr double kOnLabel = 1e3;
    const double beyond = std::max({0.0, area_.x - 2.0 - box.x, box.right() - area_.right() - 2.0,
                                    area_.y - 2.0 - box.y, box.bottom() - area_.bottom() - 2.0});
    double cost = kOutside * beyond;  // by pixels: when nothing fits, the least is cut off
    for (const Box& other : taken_) {
      cost += box.overlaps(other) ? kOnLabel : 0.0;
    }
    return cost + static_cast<double>(
                      std::count_if(covered_.begin(), covered_.end(),
                                    [&](const Point& point) { return box.contains(point); }));
  }

  Box area_;
  std::vector<Point> covered_;
  std::vector<Box> taken_;
};

std::vector<Label> horizontal_candidates(const Box& area, double y, double width) {
  std::vector<Label> labels;
  for (const double rise : {-5.0, 15.0, -20.0, 30.0}) {
    labels.push_back(label_at({area.right() - 4.0, y + rise}, "end", width));
    labels.push_back(label_at({area.x + 5.0, y + rise}, "start", width));
    labels.push_back(label_at({area.x + area.width / 2, y + rise}, "middle", width));
  }
  return labels;
}

std::vector<Label> vertical_candidates(const Box& area, double x, double width) {
  std::vector<Label> labels;
  for (const double share : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}) {
    const double y = area.y + kSmallText + 2.0 + share * (area.height - kSmallText - 8.0);
    labels.push_back(label_at({x + 5.0, y}, "start", width));
    labels.push_back(label_at({x - 5.0, y}, "end", width));
  }
  return labels;
}

std::vector<Label> mark_candidates(const Box& area, Point at, double width) {
  // A long label next to an edge is slid back into the plot, above or below the mark.
  const double slid = std::max(area.x + 4.0, std::min(at.x + 9.0, area.right() - width - 4.0));
  return {label_at({at.x + 9.0, at.y - 6.0}, "start", width),
          label_at({at.x + 9.0, at.y + 14.0}, "start", width),
          label_at({at.x - 9.0, at.y - 6.0}, "end", width),
          label_at({at.x - 9.0, at.y + 14.0}, "end", width),
          label_at({at.x, at.y - 10.0}, "middle", width),
          label_at({at.x, at.y + 20.0}, "middle", width),
          label_at({at.x + 14.0, at.y - 26.0}, "start", width),
          label_at({at.x + 14.0, at.y + 32.0}, "start", width),
          label_at({slid, at.y - 12.0}, "start", width),
          label_at({slid, at.y + 22.0}, "start", width),
          label_at({slid, at.y + 40.0}, "start", width)};
}

}  // namespace

void draw_references(SvgCanvas& canvas, const FigurePanel& panel, const PlotFrame& frame) {
  LabelPlacer placer(panel, frame);
  const Box& area = frame.box;
  for (const ReferenceLine& line : panel.lines) {
    const bool drawn = line.horizontal ? frame.draws_y(line.at) && frame.y.covers(line.at)
                                       : frame.draws_x(line.at) && frame.x.covers(line.at);
    if (!drawn) {
      continue;
    }
    const double at = line.horizontal ? frame.pixel_y(line.at) : frame.pixel_x(line.at);
    const Point from = line.horizontal ? Point{area.x, at} : Point{at, area.y};
    const Point to = line.horizontal ? Point{area.right(), at} : Point{at, area.bottom()};
    canvas.line("ev-line-note", from, to);
    const std::string shown = shorten(line.label, kSmallText, area.width - 12.0);
    const double width = text_width(shown, kSmallText);
    placer.place(canvas,
                 line.horizontal ? horizontal_candidates(area, at, width)
                                 : vertical_candidates(area, at, width),
                 shown, line.label);
  }
  for (const ReferenceMark& mark : panel.marks) {
    if (!frame.draws_x(mark.x) || !frame.draws_y(mark.y) || !frame.x.covers(mark.x) ||
        !frame.y.covers(mark.y)) {
      continue;
    }
    const Point at{frame.pixel_x(mark.x), frame.pixel_y(mark.y)};
    canvas.circle("ev-ink", at, 4.5);
    const std::string shown = shorten(mark.label, kSmallText, area.width - 12.0);
    placer.place(canvas, mark_candidates(area, at, text_width(shown, kSmallText)), shown,
                 mark.label);
  }
}

}  // namespace eigenveil
