#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace eigenveil::detail {

/// Smallest double in (failing, passing] at which a monotone predicate holds. Non-negative doubles
/// are ordered like their bits, so at most 63 evaluations reach neighbouring doubles whatever the
/// scale. The predicate is never trusted to be monotone: the returned value was seen to pass.
template <class Predicate>
double first_passing(double failing, double passing, Predicate&& holds) {
  auto low = std::bit_cast<std::uint64_t>(failing);
  auto high = std::bit_cast<std::uint64_t>(passing);
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (holds(std::bit_cast<double>(middle)) ? high : low) = middle;
  }
  return std::bit_cast<double>(high);
}

/// Largest double in [passing, failing) at which a predicate holds that is true, then false.
template <class Predicate>
double last_passing(double passing, double failing, Predicate&& holds) {
  auto low = std::bit_cast<std::uint64_t>(passing);
  auto high = std::bit_cast<std::uint64_t>(failing);
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (holds(std::bit_cast<double>(middle)) ? low : high) = middle;
  }
  return std::bit_cast<double>(low);
}

/// last_passing of value(x) <= limit for a value that grows smoothly from below to above it, and
/// costs much: secants in logarithms lead to the crossing, and only what is left between two values
/// that were seen is halved. The same double as last_passing, in about a sixth of the evaluations.
template <class Value>
double last_within(double passing, double failing, double limit, Value&& value) {
  struct Point {
    double x, y;  ///< logarithms; y of value / limit
  };
  auto low = std::bit_cast<std::uint64_t>(passing);
  auto high = std::bit_cast<std::uint64_t>(failing);
  const auto look = [&](std::uint64_t bits) {
    const double x = std::bit_cast<double>(bits);
    const double found = value(x);
    (found <= limit ? low : high) = bits;
    return Point{std::log(x), std::log(found) - std::log(limit)};
  };
  const auto inside = [&](double x) {
    return std::clamp(std::bit_cast<std::uint64_t>(std::exp(x)), low + 1, high - 1);
  };
  if (high - low < 2 || !(passing < 1.0 && failing > 1.0)) {
    return last_passing(passing, failing, [&](double x) { return value(x) <= limit; });
  }
  Point before = look(std::bit_cast<std::uint64_t>(1.0));
  Point now = before;
  for (double step = 1.0; step < 600.0 && high - low > 1; step *= 2.0) {  // to both sides of it
    before = now;
    now = look(inside(before.x + (before.y <= 0.0 ? step : -step)));
    if ((before.y <= 0.0) != (now.y <= 0.0) && std::isfinite(before.y)) {
      break;
    }
  }
  for (int i = 0; i < 12 && high - low > 64; ++i) {
    const double next = now.x - now.y * (now.x - before.x) / (now.y - before.y);
    if (!std::isfinite(next)) {
      break;
    }
    before = now;
    now = look(inside(next));
  }
  // From the best of these outwards, until the crossing lies between two neighbours' neighbours.
  for (std::uint64_t step = 4; high - low > 2 * step && step < (std::uint64_t{1} << 60U);
       step *= 16) {
    const bool below = now.y <= 0.0;
    const std::uint64_t at = below ? low + step : high - step;
    if ((look(at).y <= 0.0) != below) {
      break;
    }
  }
  return last_passing(std::bit_cast<double>(low), std::bit_cast<double>(high),
                      [&](double x) { return value(x) <= limit; });
}

}  // namespace eigenveil::detail
