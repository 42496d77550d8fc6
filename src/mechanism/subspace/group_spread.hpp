#pragma once

#include <cstddef>
#include <vector>

#include "eigenveil/core/matrix.hpp"

namespace eigenveil::detail {

/// How far groups of m points of a Gaussian with k leading directions lie apart, to first order, by
/// simulation with a fixed public seed: no data is involved.
///
/// With X = A L + gamma E the leading frame of a group is off by gamma E'A (A'A)^-1, and the
/// squared distance of the positions of groups i and j is gamma^2 (d - k) (a_i + a_j) with a_i =
/// tr(M_i^-1 (G + q I)), M_i ~ Wishart_k(m), G ~ Wishart_k(q).
struct GroupSpread {
  double quantile = 0.0;        ///< of a_i: the radius is made from it
  double mean = 0.0;            ///< of a_i
  std::vector<double> spreads;  ///< simulated a_i, increasing
  double agreement =
      0.0;  ///< expected core weight over full weight at radius_factor of that radius
  double smallest_singular = 1.0;  ///< of k x q standard normals, typical
};
GroupSpread simulate_group_spread(std::size_t subspace, std::size_t per_group,
                                  std::size_t references, double radius_factor);

}  // namespace eigenveil::detail
