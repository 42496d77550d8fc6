#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "eigenveil/data/bounding.hpp"

namespace eigenveil {

/// Cells as deviations from the public midpoints of a bound, clipped to its ranges where it has
/// some, in original or scaled units. Total: a missing cell is at the midpoint, an infinite one
/// makes the zero row.
class Deviations {
 public:
  Deviations(const RowBound& bound, bool scaled) {
    for (std::size_t j = 0; j < bound.dimension(); ++j) {
      midpoints_.push_back(bound.midpoint(j));
      limits_.push_back(bound.has_ranges() ? bound.half_width(j)
                                           : std::numeric_limits<double>::max());
      factors_.push_back(scaled && bound.has_ranges() ? 1.0 / bound.half_width(j) : 1.0);
    }
  }
  std::size_t columns() const { return midpoints_.size(); }
  /// The first columns() cells of a row, in place.
  void take(double* cells) const {
    bool infinite = false;
    for (std::size_t j = 0; j < columns(); ++j) {
      infinite = infinite || std::isinf(cells[j]);
      const double deviation = std::clamp(cells[j] - midpoints_[j], -limits_[j], limits_[j]);
      cells[j] = std::isnan(cells[j]) ? 0.0 : deviation * factors_[j];
    }
    if (infinite) {
      std::fill(cells, cells + columns(), 0.0);
    }
  }

 private:
  std::vector<double> midpoints_;
  std::vector<double> limits_;
  std::vector<double> factors_;
};

}  // namespace eigenveil
