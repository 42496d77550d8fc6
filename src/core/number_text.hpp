#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace eigenveil {

/// A text that is one finite decimal number, or nothing. Unlike strtod it does not ask the locale,
/// which may want a comma where files have a point.
inline std::optional<double> finite_number(std::string_view text) {
  double value = 0.0;
  const char* last = text.data() + text.size();
  const bool plus = text.starts_with('+') && !text.starts_with("+-");
  const auto [stopped, failure] = std::from_chars(text.data() + (plus ? 1 : 0), last, value);
  const bool whole = stopped == last && failure == std::errc{} && std::isfinite(value);
  return whole ? std::optional(value) : std::nullopt;
}

}  // namespace eigenveil
