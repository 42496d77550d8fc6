#pragma once

#include <cmath>
#include <map>
#include <utility>

#include "eigenveil/core/matrix.hpp"

namespace eigenveil {

/// A number computed from entries of a noisy symmetric matrix, with its derivative by each of them:
/// the delta method, which knows which entries two numbers share.
struct Estimated {
  using Entry = std::pair<Eigen::Index, Eigen::Index>;  ///< (i, j) with i <= j
  double value = 0.0;
  std::map<Entry, double> slopes = {};

  static Estimated entry(const Matrix& matrix, Eigen::Index i, Eigen::Index j) {
    return {matrix(i, j), {{{std::min(i, j), std::max(i, j)}, 1.0}}};
  }
  void add_slopes(const Estimated& other, double factor) {
    for (const auto& [entry, slope] : other.slopes) {
      slopes[entry] += factor * slope;
    }
  }
  /// Standard deviation to first order, for uncorrelated noise with these deviations.
  double sd(const Matrix& entry_sd) const {
    double variance = 0.0;
    for (const auto& [entry, slope] : slopes) {
      const double part = slope * entry_sd(entry.first, entry.second);
      variance += part * part;
    }
    return std::sqrt(variance);
  }
};

inline Estimated combined(double value, const Estimated& a, double by_a, const Estimated& b,
                          double by_b) {
  Estimated result{value};
  result.add_slopes(a, by_a);
  result.add_slopes(b, by_b);
  return result;
}
inline Estimated operator-(const Estimated& a, const Estimated& b) {
  return combined(a.value - b.value, a, 1.0, b, -1.0);
}
inline Estimated operator*(const Estimated& a, const Estimated& b) {
  return combined(a.value * b.value, a, b.value, b, a.value);
}
inline Estimated operator/(const Estimated& a, const Estimated& b) {
  return combined(a.value / b.value, a, 1.0 / b.value, b, -a.value / (b.value * b.value));
}
inline Estimated operator*(double factor, const Estimated& a) {
  Estimated result{factor * a.value};
  result.add_slopes(a, factor);
  return result;
}
inline Estimated square_root(const Estimated& a) {
  const double root = std::sqrt(a.value);
  Estimated result{root};
  result.add_slopes(a, 0.5 / root);
  return result;
}

}  // namespace eigenveil
