#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "../random/vector_log.hpp"

namespace eigenveil::detail {

/// Below this value of t = rate * width the series in t is exact to double precision; above it the
/// logarithm loses at most a factor 1/t.
inline constexpr double kSeriesLimit = 0x1p-5;

/// Uniform on (0, 1) to a relative precision of 2^-53, never 0 or 1: upper 52 and lower 12 bits,
/// each exact, then added.
[[gnu::always_inline]] inline double unit_interval(std::uint64_t bits) {
  constexpr std::uint64_t kLowerMask = 0xfffU;
  const double leading =
      std::bit_cast<double>((bits >> 12) | std::bit_cast<std::uint64_t>(1.0)) - 1.0;
  const double rest =
      std::bit_cast<double>((bits & kLowerMask) | std::bit_cast<std::uint64_t>(0x1p52)) -
      (0x1p52 - 0.5);
  return std::min(leading + rest * 0x1p-64, 1.0 - 0x1p-53);
}

/// Quantile u of the density e^{t x} on [0, 1] for 0 <= t < kSeriesLimit:
/// log(1 + u (e^t - 1)) / t, whose n-th Taylor term is (n+1-th cumulant of a coin u) tⁿ / (n+1)!.
[[gnu::always_inline]] inline double tilted_quantile(double u, double t) {
  const double v = u * (1.0 - u);
  const double skew = 1.0 - 2.0 * u;
  double series = skew * (1.0 + v * (360.0 * v - 60.0)) * (1.0 / 5040.0);
  series = series * t + (1.0 + v * (120.0 * v - 30.0)) * (1.0 / 720.0);
  series = series * t + skew * (1.0 - 12.0 * v) * (1.0 / 120.0);
  series = series * t + (1.0 - 6.0 * v) * (1.0 / 24.0);
  series = series * t + skew * (1.0 / 6.0);
  series = series * t + 0.5;
  return u + v * t * series;
}

/// A unit exponential modulo t has density e^{-x} on [0, t): memorylessness. Needs t > 0.
[[gnu::always_inline]] inline double exponential_modulo(double u, double t) {
  constexpr double kRoundToInteger = 0x1.8p52;
  const double exponential = negative_log(u);
  const double ratio = exponential / t;
  const double nearest = (ratio + kRoundToInteger) - kRoundToInteger;
  const double whole = nearest > ratio ? nearest - 1.0 : nearest;
  return exponential - whole * t;
}

}  // namespace eigenveil::detail
