#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>

#include "core/outward.hpp"

namespace eigenveil::detail {

/// 50 decimal digits. Closed forms are evaluated here and rounded to the safe side once, so that
/// cancellation never has to be argued about in double precision.
using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>,
                                           boost::multiprecision::et_off>;

/// Relative error granted to every closed form below: at most a few hundred operations, each good
/// to 1e-49, with at most eight digits lost on the way.
inline const Wide& wide_slack() {
  static const Wide kSlack("1e-40");
  return kSlack;
}

/// Smallest double that is at least `value`; exact values stay exact.
inline double round_up(const Wide& value) {
  const double nearest = static_cast<double>(value);
  return Wide(nearest) < value ? up(nearest) : nearest;
}
inline double round_down(const Wide& value) {
  const double nearest = static_cast<double>(value);
  return Wide(nearest) > value ? down(nearest) : nearest;
}

/// For values of a transcendental formula: the slack is added before rounding.
inline double enclose_up(const Wide& value) {
  return round_up(value + abs(value) * wide_slack());
}
inline double enclose_down(const Wide& value) {
  return round_down(value - abs(value) * wide_slack());
}

/// Square roots decided by squaring back, so that sqrt(25) stays 5.
inline double root_up(const Wide& square) {
  double root = static_cast<double>(sqrt(square));
  while (Wide(root) * Wide(root) < square) {
    root = up(root);
  }
  return root;
}
inline double root_down(const Wide& square) {
  double root = static_cast<double>(sqrt(square));
  while (Wide(root) * Wide(root) > square) {
    root = down(root);
  }
  return root;
}

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace eigenveil::detail
