#include "report/figure_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace eigenveil {
namespace {

constexpr double kLargest = 1e150;
constexpr double kSmallest = 1e-150;

struct Ends {
  double low;
  double high;
};

Ends data_ends(const FigureAxis& axis, const std::vector<double>& values) {
  Ends ends{INFINITY, -INFINITY};
  for (const double value : values) {
    if (can_be_drawn(value, axis.scale)) {
      ends.low = std::min(ends.low, value);
      ends.high = std::max(ends.high, value);
    }
  }
  const bool log = axis.scale == Scale::Log10;
  if (ends.low > ends.high) {
    ends = log ? Ends{1.0, 10.0} : Ends{0.0, 1.0};
  }
  if (axis.low && can_be_drawn(*axis.low, axis.scale)) {
    ends.low = *axis.low;
    ends.high = std::max(ends.high, ends.low);
  }
  if (axis.high && can_be_drawn(*axis.high, axis.scale)) {
    ends.high = *axis.high;
    ends.low = std::min(ends.low, ends.high);
  }
  const double size = std::max(std::abs(ends.low), std::abs(ends.high));
  if (ends.high - ends.low <= 1e-9 * size || ends.high - ends.low < kSmallest) {
    const double pad = size < kSmallest ? 1.0 : 0.5 * size;
    ends = log ? Ends{ends.low / 2.0, ends.high * 2.0} : Ends{ends.low - pad, ends.high + pad};
  }
  return ends;
}

double nice_step(double span, int wanted) {
  const double rough = span / std::max(1, wanted);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (factor * power >= rough * (1.0 - 1e-9)) {
      return factor * power;
    }
  }
  return 10.0 * power;
}

/// "2.5e6", not "2.5e+06".
std::string short_exponent(double value, int digits = 4) {
  const std::string text = fmt::format("{:.{}g}", value, digits);
  const std::size_t at = text.find('e');
  return at == std::string::npos
             ? text
             : fmt::format("{}e{}", text.substr(0, at), std::stoi(text.substr(at + 1)));
}

std::string linear_label(double value, double step, double size) {
  if (size >= 1e6 || size < 1e-3) {
    const int digits = std::max(4, static_cast<int>(std::ceil(std::log10(size / step))) + 2);
    return std::abs(value) < step * 1e-6 ? "0" : short_exponent(value, digits);
  }
  // Enough decimals to write the step itself (2.5 steps need one more than their power).
  int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  const double scaled = step * std::pow(10.0, decimals);
  decimals += std::abs(scaled - std::round(scaled)) > 1e-6 ? 1 : 0;
  std::string text = fmt::format("{:.{}f}", std::abs(value) < step * 1e-6 ? 0.0 : value, decimals);
  return text;
}

void add_linear_ticks(AxisRange& range, const FigureAxis& axis, int wanted) {
  const double step = nice_step(range.high - range.low, wanted);
  const double first = std::floor(range.low / step + 1e-9);
  if (!axis.low) {
    range.low = first * step <= range.low ? first * step : range.low;
  }
  if (!axis.high) {
    range.high = std::max(range.high, std::ceil(range.high / step - 1e-9) * step);
  }
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  const double slack = step * 1e-6;
  for (int i = 0; i <= 4 * wanted + 8; ++i) {
    const double value = (first + i) * step;
    if (value >= range.low - slack && value <= range.high + slack) {
      range.ticks.push_back({value, linear_label(value, step, size)});
    }
  }
}

std::string power_label(int exponent) {
  if (exponent >= -3 && exponent <= 4) {
    return fmt::format("{:g}", std::pow(10.0, exponent));
  }
  static constexpr std::array<const char*, 10> kDigits = {"⁰", "¹", "²", "³", "⁴",
                                                          "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = "10";
  for (const char letter : std::to_string(exponent)) {
    text += letter == '-' ? "⁻" : kDigits[static_cast<std::size_t>(letter - '0')];
  }
  return text;
}

void add_log_ticks(AxisRange& range, const FigureAxis& axis, int wanted) {
  const double decades = std::log10(range.high / range.low);
  const bool inner = decades < 2.5;
  const auto outward = [&](double value, double direction) {
    const double power = std::floor(std::log10(value) + 1e-12);
    const double mantissa = value / std::pow(10.0, power);
    if (!inner) {
      const double exact = std::log10(value);
      return std::pow(10.0, direction < 0 ? std::floor(exact + 1e-9) : std::ceil(exact - 1e-9));
    }
    constexpr std::array kStops = {1.0, 2.0, 5.0, 10.0};
    double stop = direction < 0 ? 1.0 : 10.0;
    for (const double candidate : kStops) {
      if (direction < 0 ? candidate <= mantissa * (1 + 1e-9) : candidate >= mantissa * (1 - 1e-9)) {
        stop = direction < 0 ? candidate : std::min(stop, candidate);
      }
    }
    return stop * std::pow(10.0, power);
  };
  range.low = axis.low ? range.low : std::min(range.low, outward(range.low, -1));
  range.high = axis.high ? range.high : std::max(range.high, outward(range.high, +1));
  const double lowest = std::log10(range.low) - 1e-9;
  const int first = static_cast<int>(inner ? std::floor(lowest) : std::ceil(lowest));
  const int last = static_cast<int>(std::ceil(std::log10(range.high) + 1e-9));
  const int stride = std::max(1, (last - first + wanted) / (wanted + 1));
  for (int exponent = first; exponent <= last; exponent += inner ? 1 : stride) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(10.0, exponent);
      const bool inside = value >= range.low * (1 - 1e-9) && value <= range.high * (1 + 1e-9);
      if (inside && (factor == 1.0 || inner)) {
        range.ticks.push_back(
            {value, factor == 1.0 ? power_label(exponent) : short_exponent(value)});
      }
    }
  }
}

}  // namespace

bool can_be_drawn(double value, Scale scale) {
  if (!std::isfinite(value) || std::abs(value) > kLargest) {
    return false;
  }
  return scale == Scale::Linear || value > kSmallest;
}

double AxisRange::position(double value) const {
  if (scale == Scale::Log10) {
    return std::log10(value / low) / std::log10(high / low);
  }
  return (value - low) / (high - low);
}

AxisRange axis_range(const FigureAxis& axis, const std::vector<double>& values, int wanted_ticks) {
  AxisRange range;
  range.scale = axis.scale;
  if (!axis.categories.empty()) {
    range.low = 0.5;
    range.high = static_cast<double>(axis.categories.size()) + 0.5;
    for (std::size_t i = 0; i < axis.categories.size(); ++i) {
      range.ticks.push_back({static_cast<double>(i + 1), axis.categories[i]});
    }
    range.scale = Scale::Linear;
    return range;
  }
  const Ends ends = data_ends(axis, values);
  range.low = ends.low;
  range.high = ends.high;
  if (axis.scale == Scale::Log10) {
    add_log_ticks(range, axis, wanted_ticks);
  } else {
    add_linear_ticks(range, axis, wanted_ticks);
  }
  return range;
}

}  // namespace eigenveil
