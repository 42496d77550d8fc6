#include "data/magnitude_grid.hpp"

#include <algorithm>
#include <cmath>

namespace eigenveil {

MagnitudeGrid::MagnitudeGrid() {
  constexpr int kSmallest = -160;  // quarters of a power of two
  constexpr int kLargest = 240;
  std::vector<double> powers;
  for (int quarter = kSmallest; quarter <= kLargest; ++quarter) {
    powers.push_back(std::exp2(0.25 * quarter));
  }
  for (auto power = powers.rbegin(); power != powers.rend(); ++power) {
    edges_.push_back(-*power);
  }
  edges_.insert(edges_.end(), powers.begin(), powers.end());
}

std::size_t MagnitudeGrid::cell_of(double value) const {
  if (std::isnan(value)) {
    return missing();
  }
  const auto above = std::upper_bound(edges_.begin(), edges_.end(), value);
  const auto place = above - edges_.begin() - 1;
  return static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(place, 0, static_cast<std::ptrdiff_t>(values()) - 1));
}

}  // namespace eigenveil
