#pragma once

#include <cstddef>
#include <vector>

#include "eigenveil/data/bounding.hpp"

namespace eigenveil {

/// A public grid of values, the same for every table: magnitudes by powers of 2^(1/4) from 2^-40 to
/// 2^60 on both sides of a zero cell, and a cell for what is missing. The first and last cells hold
/// all that lies beyond.
class MagnitudeGrid {
 public:
  MagnitudeGrid();
  std::size_t values() const { return edges_.size() - 1; }  ///< cells of numbers, in their order
  std::size_t cells() const { return values() + 1; }
  std::size_t missing() const { return values(); }
  /// The cell of a number; `missing` for NaN. Total: infinities are beyond.
  std::size_t cell_of(double value) const;
  double low(std::size_t cell) const { return edges_[cell]; }
  double high(std::size_t cell) const { return edges_[cell + 1]; }

 private:
  std::vector<double> edges_;  ///< rising; cell i holds edges_[i] <= x < edges_[i + 1]
};

}  // namespace eigenveil
