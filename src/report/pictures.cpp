#include "report/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/figure_canvas.hpp"
#include "report/figure_text.hpp"
#include "report/html_text.hpp"

namespace eigenveil {
namespace {

constexpr double kText = 13.0;
constexpr double kTick = 12.0;

std::string svg_of(const SvgCanvas& canvas, double width, double height, std::string_view words) {
  return fmt::format(
      "<svg class=\"ev-picture\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\" aria-label=\"{2}\">\n{3}</svg>\n",
      width, height, escape_markup(words), canvas.elements());
}

void hatched(SvgCanvas& canvas, const Box& box) {
  canvas.rectangle("ev-ground", box);
  canvas.rectangle("ev-hatch", box);
}

/// 1, 2 or 5 times a power of ten, so that about `most` of them reach the end.
double round_step(double end, int most) {
  const double raw = end / most;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * power >= raw) {
      return step * power;
    }
  }
  return 10.0 * power;
}

/// Where the bars of a scree stand.
struct ScreeFrame {
  double left = 40.0;
  double right = 40.0;
  double top = 34.0;
  double bottom = 30.0;
  const ScreePicture& picture;

  double y(double value) const {
    const double share = std::clamp(value / picture.top, 0.0, 1.0);
    return top + (picture.height - top - bottom) * (1.0 - share);
  }
  double end() const { return picture.width - right; }
  double step() const { return (end() - left) / static_cast<double>(picture.bars.size()); }
};

void draw_bar(SvgCanvas& canvas, const ScreeFrame& frame, std::size_t i) {
  const ScreeBar& bar = frame.picture.bars[i];
  const double step = frame.step();
  const double x = frame.left + static_cast<double>(i) * step + 0.16 * step;
  const double wide = 0.44 * step;
  canvas.rectangle(bar.above_noise ? "ev-signal" : "ev-faint",
                   {x, frame.y(bar.height), wide, frame.y(0.0) - frame.y(bar.height)});
  const double lane = std::min(8.0, 0.16 * step);
  const double at = x + wide + 5.0;
  if (bar.privacy) {
    const double high = frame.y(bar.privacy->high);
    const Box box{at, high, lane, std::max(3.0, frame.y(bar.privacy->low) - high)};
    canvas.rectangle("ev-blank", box);
    canvas.rectangle("ev-hatch", box);
    canvas.rectangle("ev-hatch-edge", box);
  }
  if (bar.sampling) {
    const double high = frame.y(bar.sampling->high);
    canvas.line("ev-sampling", {at + lane + 5.0, high},
                {at + lane + 5.0, std::max(frame.y(bar.sampling->low), high + 0.1)});
  }
  if (bar.ring) {
    canvas.circle("ev-ring", {at + 0.5 * lane, frame.y(*bar.ring)}, 2.8);
  }
  const double middle = x + 0.5 * wide;
  const bool chosen = frame.picture.chosen == static_cast<int>(i);
  canvas.text(chosen            ? "ev-t-strong"
              : bar.above_noise ? "ev-t"
                                : "ev-t-faint",
              {{middle, frame.picture.height - 9.0}, kText, "middle"}, bar.label);
  if (chosen) {
    canvas.line("ev-chosen", {x, frame.picture.height - 3.0},
                {x + wide, frame.picture.height - 3.0});
  }
}

/// Heights in figures; above the line of the noise where that would strike them through.
void draw_numbers(SvgCanvas& canvas, const ScreeFrame& frame) {
  for (std::size_t i = 0; i < frame.picture.bars.size(); ++i) {
    const ScreeBar& bar = frame.picture.bars[i];
    double y = frame.y(bar.height) - 6.0;
    if (frame.picture.floor) {
      const double line = frame.y(*frame.picture.floor);
      y = y > line - 5.0 && y < line + kText ? line - 6.0 : y;
    }
    const double middle = frame.left + (static_cast<double>(i) + 0.38) * frame.step();
    canvas.text(bar.above_noise ? "ev-t-strong" : "ev-t-faint", {{middle, y}, kText, "middle"},
                fmt::format("{:.3g}", bar.height));
  }
}

void draw_floor(SvgCanvas& canvas, const ScreeFrame& frame) {
  const double y = frame.y(*frame.picture.floor);
  canvas.line("ev-floor", {frame.left, y}, {frame.end() + 6.0, y});
  // Above the last bar, where there is room.
  double room = y;
  const std::size_t bars = frame.picture.bars.size();
  for (std::size_t i = bars / 2; i < bars; ++i) {
    const ScreeBar& bar = frame.picture.bars[i];
    const double tallest = std::max(bar.height, bar.privacy ? bar.privacy->high : 0.0);
    room = std::min(room, frame.y(tallest) - (frame.picture.numbers ? 20.0 : 0.0));
  }
  const double label = std::max(24.0, room - 12.0);
  if (y - label > 8.0) {
    canvas.line("ev-rule", {frame.end() - 12.0, label + 5.0}, {frame.end() - 12.0, y});
  }
  canvas.text("ev-t-halo", {{frame.end() - 2.0, label}, kTick, "end"}, frame.picture.floor_words);
  if (frame.picture.handle) {
    canvas.rectangle("ev-grip", {frame.end() + 5.0, y - 14.0, 22.0, 28.0}, 1.0, 11.0);
    canvas.path("ev-grip-mark", fmt::format("M{0:.1f} {1:.1f}l4-5 4 5M{0:.1f} {2:.1f}l4 5 4-5",
                                            frame.end() + 12.0, y - 3.0, y + 3.0));
  }
}

}  // namespace

std::string scree_picture(const ScreePicture& picture) {
  SvgCanvas canvas;
  const ScreeFrame frame{.picture = picture};
  const double step = round_step(picture.top, 4);
  for (double value = 0.0; value <= picture.top * 1.0001; value += step) {
    canvas.line("ev-hair", {frame.left, frame.y(value)}, {frame.end(), frame.y(value)});
    canvas.text("ev-t", {{frame.left - 8.0, frame.y(value) + 4.0}, kText, "end"},
                fmt::format("{:g}", std::abs(value) < 1e-12 * step ? 0.0 : value));
  }
  if (picture.floor) {
    const double high = frame.y(*picture.floor);
    hatched(canvas, {frame.left, high, frame.end() - frame.left, frame.y(0.0) - high});
  }
  for (std::size_t i = 0; i < picture.bars.size(); ++i) {
    draw_bar(canvas, frame, i);
  }
  if (picture.floor) {
    draw_floor(canvas, frame);
  }
  if (picture.numbers) {
    draw_numbers(canvas, frame);
  }
  canvas.text("ev-t", {{frame.left, 11.0}, kTick}, picture.axis);
  return svg_of(canvas, picture.width, picture.height, picture.words);
}

namespace {

/// Room for the longest name, up to a third of a narrow picture.
double label_room(const WeightsPicture& picture) {
  double longest = 0.0;
  for (const WeightRow& row : picture.rows) {
    longest = std::max(longest, text_width(row.name, kText));
  }
  return std::clamp(longest + 22.0, 48.0, picture.width < 430.0 ? 122.0 : 168.0);
}

/// A lane of noise from `low` to `high` within the ends of the axis; what goes on beyond one ends
/// in an arrow.
void noise_lane(SvgCanvas& canvas, double low, double high, double y, const Reach& ends) {
  const double from = std::max(low, ends.low);
  const double to = std::max(from, std::min(high, ends.high));
  hatched(canvas, {from, y - 9.0, to - from, 14.0});
  if (low < ends.low) {
    canvas.path("ev-beyond", fmt::format("M{:.1f} {:.1f}l-5 4.5 5 4.5", ends.low + 6.0, y - 6.5));
  }
  if (high > ends.high) {
    canvas.path("ev-beyond", fmt::format("M{:.1f} {:.1f}l5 4.5 -5 4.5", ends.high - 6.0, y - 6.5));
  }
}

}  // namespace

std::string weights_picture(const WeightsPicture& picture) {
  constexpr double kRow = 25.0;
  SvgCanvas canvas;
  const double left = label_room(picture);
  const double body = kRow * static_cast<double>(picture.rows.size());
  const double full = picture.full;
  const auto place = [&](double value) {
    return left + (picture.width - left - 8.0) * (value + full) / (2.0 * full);
  };
  const auto x = [&](double value) { return place(std::clamp(value, -full, full)); };
  const Reach ends{place(-full), place(full)};
  const double step = round_step(full, 2);
  for (double value = 0.0; value <= full; value += step) {
    for (const double tick : {-value, value}) {
      canvas.line(value == 0.0 ? "ev-rule" : "ev-hair", {x(tick), 0.0}, {x(tick), body});
      canvas.text("ev-t", {{x(tick), body + 18.0}, kTick, "middle"},
                  fmt::format("{}{:g}",
                              value == 0.0 ? ""
                              : tick > 0.0 ? "+"
                                           : "\u2212",
                              value));
    }
  }
  std::vector<std::string> names;
  for (const WeightRow& row : picture.rows) {
    names.push_back(row.name);
  }
  const std::vector<std::string> labels = short_names(names, kText, left - 20.0);
  for (std::size_t i = 0; i < picture.rows.size(); ++i) {
    const WeightRow& row = picture.rows[i];
    const double y = kRow * (static_cast<double>(i) + 0.5);
    canvas.text(picture.above_noise ? "ev-t-ink" : "ev-t", {{left - 12.0, y + 4.5}, kText, "end"},
                labels[i], row.name);
    if (row.noise > 0.0) {
      noise_lane(canvas, place(row.weight - row.noise), place(row.weight + row.noise), y, ends);
    }
    if (!row.releases.empty()) {
      std::vector<double> sorted = row.releases;
      std::sort(sorted.begin(), sorted.end());
      const auto at = [&](double share) {
        return sorted[static_cast<std::size_t>(
            std::lround(share * static_cast<double>(sorted.size() - 1)))];
      };
      noise_lane(canvas, place(at(0.05)) - 3.0, place(at(0.95)) + 3.0, y, ends);
      // Points of no length, drawn as dots by their round ends. Dots of one path do not add up
      // where they meet; four paths keep a cloud darker in its middle.
      std::array<std::string, 4> clouds;
      for (std::size_t j = 0; j < row.releases.size(); ++j) {
        // A place inside the lane that is the release's own at every setting.
        const double jitter = static_cast<double>((j * 37 + i * 11) % 17) / 16.0 - 0.5;
        clouds[j % clouds.size()] +=
            fmt::format("M{:.1f} {:.1f}h0", x(row.releases[j]), y - 2.0 + 9.0 * jitter);
      }
      for (const std::string& cloud : clouds) {
        canvas.path("ev-cloud", cloud);
      }
    }
    canvas.line(
        "ev-sampling", {x(row.weight - row.sampling), y + 9.0},
        {std::max(x(row.weight + row.sampling), x(row.weight - row.sampling) + 0.2), y + 9.0});
    canvas.line(picture.above_noise ? "ev-signal-mark" : "ev-signal-weak",
                {x(row.weight), y - 10.0}, {x(row.weight), y + 6.0});
    if (picture.ring < row.releases.size()) {
      canvas.circle("ev-ring", {x(row.releases[picture.ring]), y - 2.0}, 2.9);
    }
  }
  return svg_of(canvas, picture.width, body + 26.0, picture.words);
}

std::string people_picture(int given_away, int by_chance, double width) {
  constexpr int kPerRow = 20;
  SvgCanvas canvas;
  const double step = width / kPerRow;
  const double wide = std::min(14.0, 0.74 * step);
  const double tall = wide * 22.0 / 14.0;
  for (int i = 0; i < 100; ++i) {
    const std::string_view kind = i < given_away               ? "ev-man-given"
                                  : i < given_away + by_chance ? "ev-man-chance"
                                                               : "ev-man";
    canvas.shape(kind, "ev-person",
                 {(i % kPerRow) * step, (i / kPerRow) * (tall + 7.0), wide, tall});
  }
  return svg_of(canvas, width, 5.0 * (tall + 7.0),
                fmt::format("Of 100: {} given away by this release, {} by blind guessing, {} not",
                            given_away, by_chance, 100 - given_away - by_chance));
}

std::string errors_picture(const std::vector<ErrorLane>& lanes, double full, double width,
                           std::string_view words) {
  SvgCanvas canvas;
  double y = 0.0;
  for (const ErrorLane& lane : lanes) {
    const double wide = std::max(2.0, std::min(1.0, lane.value / full) * (width - 74.0));
    canvas.text("ev-t-ink", {{0.0, y + 12.0}, kText}, lane.name);
    const Box box{0.0, y + 19.0, wide, 16.0};
    if (lane.fill.empty()) {
      canvas.rectangle("ev-outline", box);
    } else {
      canvas.rectangle(lane.fill, box);
      canvas.rectangle("ev-hatch-edge", box);
    }
    // Longer words stand above the end of the bar, so that the scale is the same for all.
    const bool beside = wide + 8.0 + text_width(lane.text, kText) <= width;
    canvas.text("ev-t-strong",
                beside ? TextPlace{{wide + 8.0, y + 32.0}, kText}
                       : TextPlace{{width, y + 12.0}, kText, "end"},
                lane.text);
    y += 54.0;
  }
  return svg_of(canvas, width, y - 10.0, words);
}

std::string ledger_picture(const LedgerBar& bar) {
  SvgCanvas canvas;
  const double whole = bar.width - 2.0;
  double x = 1.0;
  double before = 0.0;
  canvas.rectangle("ev-rule", {1.0, 26.0, whole, 30.0});
  for (const double share : bar.spent) {
    const double wide = std::min(share * whole, whole + 1.0 - x);
    canvas.rectangle("ev-before", {x, 26.0, std::max(0.5, wide - 1.0), 30.0});
    x += wide;
    before += share;
  }
  const auto percent = [](double share) {
    return share > 0.0 && share < 0.01 ? std::string("under 1%")
                                       : fmt::format("{:.0f}%", 100.0 * share);
  };
  if (bar.now > 0.0) {
    const double shown = std::max(2.0, std::min(bar.now * whole, whole + 1.0 - x));
    canvas.rectangle("ev-now", {std::min(x, whole - 1.0), 26.0, shown, 30.0});
    canvas.text("ev-t-strong",
                {{std::clamp(x + 0.5 * shown, 90.0, bar.width - 80.0), 17.0}, kText, "middle"},
                bar.fits ? fmt::format("{}: {}", bar.now_words, percent(bar.now)) : "does not fit");
  }
  canvas.text("ev-t", {{1.0, 76.0}, kTick}, "spent before: " + percent(before));
  canvas.text("ev-t", {{bar.width - 1.0, 76.0}, kTick, "end"},
              bar.fits ? "left: " + percent(std::max(0.0, 1.0 - before - bar.now))
                       : "needs more than is left");
  return svg_of(canvas, bar.width, 84.0,
                "Shares of what was agreed: spent before, this release, left");
}

std::string map_picture(const Matrix& counts, double hidden, double full, double width,
                        std::string_view words) {
  constexpr std::array kOpacity = {0.12, 0.26, 0.42, 0.6, 0.8, 1.0};
  SvgCanvas canvas;
  const double height = 0.82 * width;
  const double wide = width / static_cast<double>(counts.cols());
  const double tall = height / static_cast<double>(counts.rows());
  std::array<std::string, kOpacity.size()> levels;
  std::string cover;
  for (Eigen::Index i = 0; i < counts.rows(); ++i) {
    for (Eigen::Index j = 0; j < counts.cols(); ++j) {
      if (counts(i, j) <= hidden) {
        continue;
      }
      const double share = std::clamp((counts(i, j) - 0.75 * hidden) / full, 0.0, 1.0);
      const auto level =
          std::min<std::size_t>(5, static_cast<std::size_t>(std::floor(6.0 * std::sqrt(share))));
      const std::string cell = fmt::format(
          "M{:.1f} {:.1f}h{:.1f}v{:.1f}h-{:.1f}z", static_cast<double>(j) * wide,
          height - static_cast<double>(i + 1) * tall, wide + 0.1, tall + 0.1, wide + 0.1);
      levels[level] += cell;
      cover += cell;
    }
  }
  const Box box{0.0, 0.0, width, height};
  canvas.rectangle("ev-sheet", box);
  if (hidden > 0.0) {
    hatched(canvas, box);
    canvas.path("ev-sheet", cover);
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    canvas.path("ev-signal", levels[i], kOpacity[i]);
  }
  canvas.rectangle("ev-rule", box);
  canvas.text("ev-t", {{0.0, height + 15.0}, kTick}, "\u2191 PC2");
  canvas.text("ev-t", {{width, height + 15.0}, kTick, "end"}, "PC1 \u2192");
  return svg_of(canvas, width, height + 20.0, words);
}

std::string loadings_picture(const LoadingsPicture& picture) {
  constexpr double kRow = 22.0;
  constexpr double kHead = 26.0;
  SvgCanvas canvas;
  const auto components = static_cast<double>(picture.components.size());
  const double left = std::min(190.0, 0.3 * picture.width);
  const double step = (picture.width - left) / components;
  const double most = std::max(1e-9, picture.values.cwiseAbs().maxCoeff());
  const double body = kRow * static_cast<double>(picture.rows.size());
  for (std::size_t j = 0; j < picture.components.size(); ++j) {
    const double at = left + static_cast<double>(j) * step;
    if (!picture.above_noise[j]) {
      hatched(canvas, {at + 2.0, kHead, step - 4.0, body});
    }
    canvas.text(picture.above_noise[j] ? "ev-t-strong" : "ev-t-faint",
                {{at + 0.5 * step, 15.0}, kText, "middle"}, picture.components[j]);
    canvas.line("ev-rule", {at + 0.5 * step, kHead}, {at + 0.5 * step, kHead + body});
  }
  const std::vector<std::string> labels = short_names(picture.rows, kText, left - 16.0);
  // A signed number and its bar side by side need this much.
  constexpr double kNumbered = 84.0;
  for (std::size_t i = 0; i < picture.rows.size(); ++i) {
    const double y = kHead + kRow * static_cast<double>(i);
    canvas.text("ev-t-ink", {{left - 12.0, y + 15.0}, kText, "end"}, labels[i], picture.rows[i]);
    for (std::size_t j = 0; j < picture.components.size(); ++j) {
      const double value =
          picture.values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      const double middle = left + (static_cast<double>(j) + 0.5) * step;
      const double wide = std::max(0.6, std::abs(value) / most * (0.5 * step - 8.0));
      canvas.rectangle(picture.above_noise[j] ? "ev-signal" : "ev-faint",
                       {value < 0.0 ? middle - wide : middle, y + 5.0, wide, kRow - 9.0});
      if (step > kNumbered && picture.above_noise[j]) {  // the number, on the side that is free
        canvas.text("ev-t",
                    {{value < 0.0 ? middle + 5.0 : middle - 5.0, y + 15.0},
                     kTick,
                     value < 0.0 ? "start" : "end"},
                    fmt::format("{}{:.2f}", value < 0.0 ? "\u2212" : "+", std::abs(value)));
      }
    }
  }
  return svg_of(canvas, picture.width, kHead + body + 4.0, picture.words);
}

std::string null_picture(const NullPicture& picture) {
  constexpr double kTop = 30.0;
  constexpr double kLane = 64.0;
  SvgCanvas canvas;
  hatched(canvas, {0.0, kTop, picture.width, kLane});
  canvas.rectangle("ev-rule", {0.0, kTop, picture.width, kLane});
  if (!picture.reach) {
    canvas.text("ev-t-halo", {{0.5 * picture.width, kTop + 0.5 * kLane + 4.5}, kText, "middle"},
                picture.nothing);
    return svg_of(canvas, picture.width, kTop + kLane + 8.0, picture.words);
  }
  const Reach& reach = *picture.reach;
  const double low = std::min(0.0, reach.low);
  const double high = std::max(0.0, reach.high);
  const auto x = [&](double value) {
    return 24.0 + (picture.width - 48.0) * (value - low) / std::max(1e-300, high - low);
  };
  const double found = x(0.5 * (reach.low + reach.high));
  canvas.line("ev-floor", {x(0.0), kTop - 6.0}, {x(0.0), kTop + kLane});
  canvas.rectangle("ev-faint", {x(reach.low), kTop + 18.0, x(reach.high) - x(reach.low), 28.0});
  canvas.line("ev-signal-mark", {found, kTop + 14.0}, {found, kTop + 50.0});
  const auto place = [&](double at, double y) {
    const bool late = at > 0.5 * picture.width;
    return TextPlace{{at + (late ? 6.0 : -6.0), y}, kText, late ? "end" : "start"};
  };
  canvas.text("ev-t-ink", place(x(0.0), kTop - 12.0), picture.nothing);
  canvas.text("ev-t-ink", place(found, kTop + kLane + 18.0), picture.found);
  return svg_of(canvas, picture.width, kTop + kLane + 26.0, picture.words);
}

std::string ranges_picture(const RangesPicture& picture) {
  constexpr double kRow = 24.0;
  constexpr double kMostBeside = 50.0;  // widths further apart leave slivers on one axis
  SvgCanvas canvas;
  const double left = std::min(190.0, 0.3 * picture.width);
  constexpr double kNumber = 84.0;
  double low = 0.0;
  double high = 0.0;
  double narrowest = HUGE_VAL;
  for (const Reach& range : picture.ranges) {
    low = std::min(low, range.low);
    high = std::max(high, range.high);
    narrowest = std::min(narrowest, range.high - range.low);
  }
  const bool one_axis = high - low <= kMostBeside * narrowest;
  const double begin = left + kNumber;
  const double length = picture.width - begin - kNumber;
  const std::vector<std::string> labels = short_names(picture.rows, kText, left - 16.0);
  for (std::size_t i = 0; i < picture.rows.size(); ++i) {
    const double y = kRow * static_cast<double>(i);
    const Reach& range = picture.ranges[i];
    const double from = one_axis ? begin + length * (range.low - low) / (high - low) : begin;
    const double to =
        one_axis ? begin + length * (range.high - low) / (high - low) : begin + length;
    canvas.text("ev-t-ink", {{left - 12.0, y + 16.0}, kText, "end"}, labels[i], picture.rows[i]);
    canvas.line("ev-hair", {begin, y + 12.0}, {begin + length, y + 12.0});
    canvas.rectangle("ev-signal", {from, y + 6.0, std::max(2.0, to - from), 12.0});
    canvas.text("ev-t", {{from - 8.0, y + 16.0}, kText, "end"}, fmt::format("{:.4g}", range.low));
    canvas.text("ev-t", {{to + 8.0, y + 16.0}, kText}, fmt::format("{:.4g}", range.high));
  }
  return svg_of(canvas, picture.width, kRow * static_cast<double>(picture.rows.size()) + 4.0,
                picture.words);
}

}  // namespace eigenveil
