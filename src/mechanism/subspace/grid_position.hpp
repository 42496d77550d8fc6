#pragma once

#include <cmath>

#include "eigenveil/core/integers.hpp"

namespace eigenveil {

/// An exact integer as a whole number of grid steps 2^e and the fraction of a step that is left:
/// value = (steps + fraction) 2^e. Noise is added to the fraction and rounded to whole steps.
struct GridPosition {
  Int128 steps = 0;
  double fraction = 0.0;
};

/// Exact for e <= 53: the rest then fits a double.
inline GridPosition on_grid(Int128 value, int exponent) {
  if (exponent <= 0) {
    return {value * (static_cast<Int128>(1) << -exponent), 0.0};
  }
  const Int128 steps = value >> exponent;  // floor
  const Int128 rest = value - (steps << exponent);
  return {steps, std::ldexp(static_cast<double>(rest), -exponent)};
}

}  // namespace eigenveil
