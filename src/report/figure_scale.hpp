#pragma once

#include <string>
#include <vector>

#include "report/figure.hpp"

namespace eigenveil {

struct Tick {
  double value = 0.0;
  std::string label;
};

/// The drawn range of an axis with its ticks.
struct AxisRange {
  double low = 0.0;
  double high = 1.0;
  Scale scale = Scale::Linear;
  std::vector<Tick> ticks;

  /// Where a value lies between the ends: 0 at low, 1 at high.
  double position(double value) const;
  bool covers(double value) const { return value >= low && value <= high; }
};

/// Finite, positive on a log axis, and far enough from the ends of double for differences.
bool can_be_drawn(double value, Scale scale);

/// A range over the drawable values. Ends the axis does not fix move outwards to a round number;
/// no value, or one value, still gives a range of positive length.
AxisRange axis_range(const FigureAxis& axis, const std::vector<double>& values, int wanted_ticks);

}  // namespace eigenveil
