#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/figure_panel.hpp"
#include "report/figure_plot.hpp"
#include "report/figure_text.hpp"
#include "report/html_text.hpp"

namespace eigenveil {
namespace {

constexpr double kMargin = 12.0;
constexpr double kTitleSize = 15.0;
constexpr double kPanelGap = 18.0;
constexpr double kLegendRow = 20.0;
constexpr double kSwatch = 30.0;

/// Draws a figure from top to bottom; `y_` is where the next part begins.
class FigurePainter {
 public:
  explicit FigurePainter(const Figure& figure)
      : figure_(figure), looks_(figure), width_(std::max(240.0, figure.width)) {}

  std::string paint() {
    draw_badges();
    draw_title();
    draw_legend();
    draw_panels();
    draw_notes();
    return document(y_ + kMargin - 4.0);
  }

 private:
  double inner_width() const { return width_ - 2 * kMargin; }

  void draw_badges() {
    for (const FigureNote& note : figure_.notes) {
      if (note.level == NoteLevel::Information) {
        continue;
      }
      const bool danger = note.level == NoteLevel::Danger;
      const std::vector<std::string> lines = wrap(note.text, kTextSize, inner_width() - 20.0);
      const double height = 18.0 * static_cast<double>(lines.size()) + 8.0;
      canvas_.rectangle(danger ? "ev-danger" : "ev-caution", {kMargin, y_, inner_width(), height},
                        1.0, 4.0);
      for (std::size_t i = 0; i < lines.size(); ++i) {
        canvas_.text(danger ? "ev-on-colour ev-bold" : "ev-caution-ink ev-bold",
                     {{width_ / 2, y_ + 17.0 + 18.0 * static_cast<double>(i)}, kTextSize, "middle"},
                     lines[i]);
      }
      y_ += height + 8.0;
    }
  }

  void draw_title() {
    for (const std::string& line : wrap(figure_.title, kTitleSize, inner_width())) {
      canvas_.text("ev-ink ev-bold", {{kMargin, y_ + kTitleSize}, kTitleSize, "start"}, line);
      y_ += 20.0;
    }
    y_ += 4.0;
  }

  void draw_swatch(const FigureSeries& series, std::size_t position, Point at) {
    const SeriesLook look = looks_.look(series, position);
    const double middle = at.y + kLegendRow / 2;
    if (series.kind == SeriesKind::Bars || series.kind == SeriesKind::Band) {
      canvas_.rectangle((series.kind == SeriesKind::Band ? "ev-band " : "") + look.fill(),
                        {at.x + 6.0, middle - 6.0, 18.0, 12.0});
      return;
    }
    if (series.kind == SeriesKind::Line) {
      canvas_.line(look.stroke(), {at.x, middle}, {at.x + kSwatch - 4.0, middle});
    }
    if (series.kind == SeriesKind::Points || series.mark != Mark::None) {
      draw_mark(canvas_, look, series.mark == Mark::Hollow, {at.x + (kSwatch - 4.0) / 2, middle});
    }
  }

  /// One name alone needs no legend: title and axes say what it is.
  bool needs_legend() const {
    std::set<std::string> names;
    for (const FigurePanel& panel : figure_.panels) {
      for (const FigureSeries& series : panel.series) {
        names.insert(series.name);
      }
    }
    names.erase("");
    return names.size() > 1;
  }

  void draw_legend() {
    if (!needs_legend()) {
      return;
    }
    std::set<std::string> drawn;
    double x = kMargin;
    for (const FigurePanel& panel : figure_.panels) {
      for (std::size_t i = 0; i < panel.series.size(); ++i) {
        const FigureSeries& series = panel.series[i];
        if (series.name.empty() || !drawn.insert(series.name).second) {
          continue;
        }
        const std::string text = shorten(series.name, kSmallText, inner_width() - kSwatch);
        const double entry = kSwatch + text_width(text, kSmallText);
        if (x > kMargin && x + entry > width_ - kMargin) {
          x = kMargin;
          y_ += kLegendRow;
        }
        draw_swatch(series, i, {x, y_});
        canvas_.text("ev-ink", {{x + kSwatch, y_ + 14.0}, kSmallText, "start"}, text, series.name);
        x += entry + 14.0;
      }
    }
    y_ += kLegendRow + 6.0;
  }

  PanelSpace space_of(const FigurePanel& panel, double width) const {
    return panel.heat_map ? heat_map_space(panel, width)
                          : plot_space(panel, width, figure_.panel_height);
  }

  void draw_panels() {
    const auto columns = static_cast<std::size_t>(std::clamp(
        figure_.columns, 1, static_cast<int>(std::max<std::size_t>(1, figure_.panels.size()))));
    const double gaps = kPanelGap * static_cast<double>(columns - 1);
    const double width = std::max(100.0, (inner_width() - gaps) / static_cast<double>(columns));
    double left = 0.0;  // shared by the plots, so that their axes line up
    for (const FigurePanel& panel : figure_.panels) {
      left = panel.heat_map ? left : std::max(left, space_of(panel, width).left);
    }
    for (std::size_t first = 0; first < figure_.panels.size(); first += columns) {
      const std::size_t last = std::min(first + columns, figure_.panels.size());
      double height = 0.0;
      for (std::size_t i = first; i < last; ++i) {
        const double x = kMargin + static_cast<double>(i - first) * (width + kPanelGap);
        height = std::max(height, draw_panel(figure_.panels[i], x, width, left));
      }
      y_ += height + (last < figure_.panels.size() ? kPanelGap : 4.0);
    }
  }

  /// Returns the height the panel took.
  double draw_panel(const FigurePanel& panel, double x, double width, double shared_left) {
    double top = y_ + 6.0;
    for (const std::string& line : wrap(panel.title, kTextSize, width)) {
      canvas_.text("ev-ink ev-bold", {{x, top + 12.0}, kTextSize, "start"}, line);
      top += 18.0;
    }
    top += panel.title.empty() ? 0.0 : 6.0;
    const PanelSpace space = space_of(panel, width);
    const double left = panel.heat_map ? space.left : shared_left;
    const Box plot{x + left, top, std::max(40.0, width - left - space.right), space.plot_height};
    canvas_.begin_group("ev-panel");
    if (panel.heat_map) {
      draw_heat_map(canvas_, panel, plot);
    } else {
      draw_plot(canvas_, panel, looks_, plot);
    }
    draw_watermark(plot);
    canvas_.end_group();
    return plot.bottom() + space.below - y_;
  }

  /// Across every panel, so that a cropped picture still says it.
  void draw_watermark(const Box& plot) {
    for (const FigureNote& note : figure_.notes) {
      if (note.level == NoteLevel::Danger) {
        constexpr std::string_view kWords = "NOT PRIVATE";
        const double size = std::clamp(plot.width / text_width(kWords, 1.0), 12.0, 64.0);
        const double middle = plot.y + plot.height / 2;
        canvas_.text("ev-watermark",
                     {{plot.x + plot.width / 2, middle + size / 3},
                      size,
                      "middle",
                      plot.height > 120.0 ? -18.0 : 0.0},
                     kWords);
        return;
      }
    }
  }

  void draw_note(const std::string& text) {
    for (const std::string& line : wrap(text, kSmallText, inner_width())) {
      canvas_.text("ev-muted", {{kMargin, y_ + kSmallText}, kSmallText, "start"}, line);
      y_ += 16.0;
    }
  }

  void draw_notes() {
    y_ += 6.0;
    for (const FigureNote& note : figure_.notes) {
      if (note.level == NoteLevel::Information) {
        draw_note(note.text);
      }
    }
    std::size_t undrawn = 0;
    for (const FigurePanel& panel : figure_.panels) {
      undrawn += undrawn_values(panel);
    }
    if (undrawn > 0) {
      draw_note(fmt::format("{} {} not drawn: not finite, or not positive on a log axis.", undrawn,
                            undrawn == 1 ? "value is" : "values are"));
    }
  }

  std::string document(double height) const {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ev-figure\" role=\"img\" "
        "width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\">\n"
        "<title>{2}</title>\n<desc>{3}</desc>\n<style>{4}</style>\n"
        "<rect class=\"ev-paper\" width=\"100%\" height=\"100%\"/>\n{5}</svg>\n",
        width_, std::ceil(height), escape_markup(figure_.title), escape_markup(figure_.description),
        figure_style_sheet(), canvas_.elements());
  }

  const Figure& figure_;
  SeriesLooks looks_;
  double width_;
  double y_ = kMargin;
  SvgCanvas canvas_;
};

std::size_t undrawn_in(const std::vector<double>& values, Scale scale) {
  return static_cast<std::size_t>(std::count_if(
      values.begin(), values.end(), [&](double value) { return !can_be_drawn(value, scale); }));
}

}  // namespace

std::size_t undrawn_values(const FigurePanel& panel) {
  std::size_t count = 0;
  if (panel.heat_map) {
    const Matrix& values = panel.heat_map->values;
    return undrawn_in({values.data(), values.data() + values.size()}, Scale::Linear);
  }
  for (const FigureSeries& series : panel.series) {
    count += undrawn_in(series.x, panel.x.scale);
    for (const std::vector<double>* values : {&series.y, &series.low, &series.high}) {
      count += undrawn_in(*values, panel.y.scale);
    }
  }
  return count;
}

std::string figure_svg(const Figure& figure) {
  return FigurePainter(figure).paint();
}

}  // namespace eigenveil
