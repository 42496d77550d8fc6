#pragma once

#include <cstddef>
#include <vector>

#include "mechanism/subspace/stability_histogram.hpp"

namespace eigenveil::detail {

/// How likely a cell of the grid wins, by simulation with a fixed public seed: no data is involved.
///
/// Walls of cells fall near the common place of the groups like a Poisson process: `cuts` of them
/// are expected within one standard deviation of a coordinate of a group, all coordinates together.
/// Given the walls the groups are independent, and one with deviations `s` times as large stays on
/// the common side of walls at distances x_i with probability prod Phi(x_i / s). So the count of
/// the common cell is binomial, and it must exceed the histogram's threshold after its noise.
class GridOutlook {
 public:
  struct Chances {
    double answer = 0.0;    ///< that the common cell wins
    double one_cell = 0.0;  ///< that all groups share it
  };

  /// `spreads`: squared deviations of groups, in any unit; their mean is that of `cuts`.
  GridOutlook(const StabilityHistogram& histogram, std::size_t groups,
              const std::vector<double>& spreads);
  Chances at(double cuts) const;
  /// The largest number of cuts with which a cell still wins with this probability.
  double largest_cuts(double answer) const;

 private:
  double share_that_stays(const std::vector<double>& walls, double cuts) const;

  std::size_t groups_;
  std::vector<double> scales_;              ///< of groups
  std::vector<std::vector<double>> walls_;  ///< by simulated run: a Poisson process of rate one
  std::vector<double> wins_;  ///< by share of groups that stays: probability of an answer
};

}  // namespace eigenveil::detail
