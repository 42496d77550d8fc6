#pragma once

#include <cmath>
#include <limits>

namespace eigenveil {

/// Directed rounding for privacy accounting: a loss, sensitivity or standard deviation is always
/// pushed to the safe side. IEEE +, -, *, / and sqrt are off by at most half a unit in the last
/// place, so one step of nextafter bounds one such operation.
inline double up(double value) {
  return std::nextafter(value, std::numeric_limits<double>::infinity());
}
inline double down(double value) {
  return std::nextafter(value, -std::numeric_limits<double>::infinity());
}

/// Several units in the last place, for functions whose error bound is `ulps` (erfc, log, exp).
inline double up(double value, int ulps) {
  for (int i = 0; i < ulps; ++i) {
    value = up(value);
  }
  return value;
}
inline double down(double value, int ulps) {
  for (int i = 0; i < ulps; ++i) {
    value = down(value);
  }
  return value;
}

}  // namespace eigenveil
