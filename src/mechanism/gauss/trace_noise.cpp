#include "mechanism/gauss/trace_noise.hpp"

#include <algorithm>
#include <cmath>

#include "core/outward.hpp"

namespace eigenveil {
namespace {

/// j times an entry stays inside 128 bits up to here (moment_plan.cpp: entries below 2^114 steps),
/// and beyond it the trace is one direction among millions.
constexpr std::size_t kMostColumns = 4096;

/// Claim 2: u² + w² - 2c + (u - w)² <= 2 R⁴; with sums only for t <= R.
TraceApart for_replaced_rows(const MomentShape& shape, double sensitivity) {
  const Int128 t = shape.constant;
  if (shape.releases_sums() && t * t > shape.norm2_bound) {
    return {1.0, sensitivity};
  }
  return {up(1.0 / (static_cast<double>(shape.dimension) + 1.0)), sensitivity};
}

/// Claim 1: every term grows with |x|², so that the largest row is the worst for any ratio >= 1.
TraceApart for_single_rows(const MomentShape& shape, double sensitivity) {
  const double p = static_cast<double>(shape.dimension);
  const double r2 = down(static_cast<double>(shape.norm2_bound));
  const double trace_part = down(down(r2 * r2) / p);  // (tr D)² / p of the largest row
  const double whole = up(sensitivity * sensitivity);
  // The ratio with the least s1² ((p - 1)(p + 2)/2 + ratio), s1² proportional to
  // whole - trace_part + trace_part / ratio.
  const double others = (p - 1.0) * (p + 2.0) / 2.0;
  const double ratio =
      std::max(1.0, std::sqrt(others * trace_part / std::max(whole - trace_part, trace_part / p)));
  const double saved = down(trace_part * down(1.0 - up(1.0 / ratio)));
  return {ratio, up(std::sqrt(up(whole - std::max(saved, 0.0))))};
}

}  // namespace

TraceApart trace_apart(const MomentShape& shape, double frobenius_sensitivity) {
  if (shape.trace == TraceNoise::LikeEntries || shape.dimension < 2 ||
      shape.dimension > kMostColumns || shape.extension == Extension::Indicators) {
    return {1.0, frobenius_sensitivity};
  }
  return shape.relation == Relation::ReplaceOne ? for_replaced_rows(shape, frobenius_sensitivity)
                                                : for_single_rows(shape, frobenius_sensitivity);
}

}  // namespace eigenveil
