#include "report/figure_style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace eigenveil {
namespace {

// Okabe and Ito's colours that stand out on white, and lighter relatives of the same hues for
// dark screens; no two neighbours in the list are confused by the common colour blindnesses.
struct SeriesColour {
  const char* light;
  const char* dark;
  const char* dashes;
};
constexpr std::array<SeriesColour, kColours> kSeriesColours = {{
    {"#0072b2", "#4db3f0", "none"},
    {"#d55e00", "#ff8f4a", "8 4"},
    {"#009e73", "#2fd0a2", "2 3"},
    {"#b0548a", "#e9a3cb", "9 3 2 3"},
    {"#c98a00", "#ffc04d", "13 4"},
    {"#3b9fd9", "#a5dcfa", "5 2 1 2 1 2"},
    {"#444444", "#dddddd", "4 4"},
}};
constexpr std::array<const char*, kReferenceDashes> kReferenceDashArrays = {"1.5 4", "6 4", "none",
                                                                            "10 4 2 4", "3 2"};

struct Theme {
  const char* paper;
  const char* ink;
  const char* muted;
  const char* grid;
  const char* reference;
  const char* positive;
  const char* danger;
  const char* caution;
  const char* caution_ink;
};
constexpr Theme kLight = {"#ffffff", "#1c2128", "#57606a", "#e3e7ec", "#6b7480",
                          "#0069a8", "#b3261e", "#fff1cc", "#6b4a00"};
constexpr Theme kDark = {"#15191f", "#e9edf2", "#a3adb8", "#2d343d", "#98a3af",
                         "#2f8fd0", "#e5564c", "#463608", "#ffdf94"};

std::string theme_rules(const Theme& theme, bool dark) {
  std::string rules = fmt::format(
      ".ev-paper{{fill:{}}}.ev-ink{{fill:{}}}.ev-muted{{fill:{}}}.ev-grid{{stroke:{}}}"
      ".ev-axis{{stroke:{}}}.ev-line-note{{stroke:{}}}",
      theme.paper, theme.ink, theme.muted, theme.grid, theme.muted, theme.ink);
  rules += fmt::format(
      ".ev-halo{{fill:{};stroke:{}}}.ev-positive{{fill:{}}}"
      ".ev-minus{{stroke:{}}}.ev-frame{{stroke:{}}}",
      theme.ink, theme.paper, theme.positive, theme.ink, theme.grid);
  rules += fmt::format(
      ".ev-danger{{fill:{}}}.ev-caution{{fill:{};stroke:{}}}.ev-caution-ink{{fill:{}}}"
      ".ev-watermark{{fill:{}}}",
      theme.danger, theme.caution, theme.caution_ink, theme.caution_ink, theme.danger);
  for (std::size_t i = 0; i < kColours; ++i) {
    const char* colour = dark ? kSeriesColours[i].dark : kSeriesColours[i].light;
    rules +=
        fmt::format(".ev-s{0}{{stroke:{1}}}.ev-f{0}{{fill:{1}}}.ev-h{0}{{fill:{2};stroke:{1}}}", i,
                    colour, theme.paper);
  }
  rules += ".ev-minus-on-colour{stroke:#fff}";
  rules += fmt::format(".ev-r{{stroke:{0}}}.ev-rf{{fill:{0}}}.ev-rh{{fill:{1};stroke:{0}}}",
                       theme.reference, theme.paper);
  return rules;
}

std::string build_style_sheet() {
  std::string rules =
      ".ev-figure text{font-family:\"Helvetica Neue\",Arial,\"DejaVu Sans\",sans-serif}"
      ".ev-bold{font-weight:600}.ev-minus{stroke-width:1.4}.ev-grid,.ev-axis,.ev-frame{fill:none;"
      "stroke-width:1}"
      ".ev-line-note{stroke-width:1.2;stroke-dasharray:5 3}"
      ".ev-halo{stroke-width:3.5;stroke-linejoin:round;paint-order:stroke}"
      ".ev-on-colour{fill:#fff}.ev-caution{stroke-width:1}"
      ".ev-watermark{fill-opacity:.24;font-weight:700}.ev-band{fill-opacity:.2}.ev-sized{fill-"
      "opacity:.78}"
      ".ev-line{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:butt}"
      ".ev-strong{stroke-width:3.2}.ev-thin{stroke-width:1.4}.ev-hollow{stroke-width:1.6}";
  for (std::size_t i = 0; i < kColours; ++i) {
    rules += fmt::format(".ev-s{}.ev-line{{stroke-dasharray:{}}}", i, kSeriesColours[i].dashes);
  }
  for (std::size_t i = 0; i < kReferenceDashes; ++i) {
    rules += fmt::format(".ev-d{}{{stroke-dasharray:{}}}", i, kReferenceDashArrays[i]);
  }
  rules += theme_rules(kLight, false);
  return rules + "@media screen and (prefers-color-scheme:dark){" + theme_rules(kDark, true) + "}";
}

}  // namespace

std::string_view figure_style_sheet() {
  static const std::string kSheet = build_style_sheet();
  return kSheet;
}

std::string SeriesLook::stroke() const {
  if (reference) {
    return fmt::format("ev-line ev-thin ev-r ev-d{}", index % kReferenceDashes);
  }
  return fmt::format("ev-line{} ev-s{}", strong ? " ev-strong" : "", index % kColours);
}

std::string SeriesLook::fill() const {
  return reference ? "ev-rf" : fmt::format("ev-f{}", index % kColours);
}

std::string SeriesLook::hollow() const {
  return reference ? "ev-hollow ev-rh" : fmt::format("ev-hollow ev-h{}", index % kColours);
}

SeriesLooks::SeriesLooks(const Figure& figure) {
  std::size_t colours = 0;
  std::size_t references = 0;
  for (const FigurePanel& panel : figure.panels) {
    for (const FigureSeries& series : panel.series) {
      for (const double size : series.size) {
        largest_mark_ = std::max(largest_mark_, size);
      }
      if (!series.name.empty() && !looks_.contains(series.name)) {
        const bool reference = series.emphasis == Emphasis::Reference;
        looks_[series.name] = {reference ? references++ : colours++, reference,
                               series.emphasis == Emphasis::Strong};
      }
    }
  }
}

SeriesLook SeriesLooks::look(const FigureSeries& series, std::size_t position_in_panel) const {
  const auto found = looks_.find(series.name);
  if (found != looks_.end()) {
    return found->second;
  }
  return {position_in_panel, series.emphasis == Emphasis::Reference,
          series.emphasis == Emphasis::Strong};
}

}  // namespace eigenveil
