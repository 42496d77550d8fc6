#pragma once

#include "mechanism/subspace/stable_core.hpp"

namespace eigenveil::test {

/// Total weight of a core and its weighted mean in steps, without noise.
struct Weighed {
  std::int64_t total = 0;
  Vector mean;
};

inline Weighed weigh(const GroupPositions& positions, double radius) {
  const CoreUnits units{positions.groups()};
  const auto near = count_near(positions, {radius}, 1).front();
  Weighed weighed{0, Vector::Zero(positions.length())};
  Vector place(positions.length());
  for (Eigen::Index i = 0; i < positions.groups(); ++i) {
    const std::int64_t weight = units.weight(near[static_cast<std::size_t>(i)]);
    positions.write(i, 0, positions.length(), place.data());
    weighed.total += weight;
    weighed.mean += static_cast<double>(weight) * place;
  }
  if (weighed.total > 0) {
    weighed.mean /= static_cast<double>(weighed.total);
  }
  return weighed;
}

}  // namespace eigenveil::test
