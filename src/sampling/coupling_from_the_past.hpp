#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/random/stream.hpp"
#include "sampling/gelfand_tsetlin.hpp"

namespace eigenveil {

/// Exact draws of a Gelfand-Tsetlin pattern with last row l and density
/// prod_i exp(rate_i * sum_j R(i,j)) with respect to Lebesgue measure on its free entries, by
/// read-once monotone coupling from the past (Wilson 2000). Works for every l and every rate; about
/// d² sweeps of k d entries. The running time depends on the rates (docs/proofs/orbit_samplers.md).
class PatternCoupling {
 public:
  /// `row_rates`: d - 1 values, row_rates[i-1] = c (y_i - y_{i+1}) >= 0. `spectrum`: l, k <= d
  /// values, non-increasing, not negative.
  /// `first_block`: sweeps of the first blocks; 0: a number from the dimension alone. Any number
  /// gives the same law.
  PatternCoupling(Vector row_rates, Vector spectrum, std::size_t first_block = 0);

  GelfandTsetlinPattern draw(RandomStream& stream) const;

  /// Sweeps until the chains from the smallest and the largest pattern meet: the cost of a draw,
  /// for benchmarks. It depends on the rates, so it is never part of a release. Stops at `limit`.
  std::size_t sweeps_to_coalescence(RandomStream& stream, std::size_t limit) const;

  /// Sweeps of the first blocks.
  std::size_t block_sweeps() const;

 private:
  class Chains;
  /// The free rows of one parity in one column: rows 2 m + parity, first <= m < first + count.
  struct Run {
    std::size_t column, first, count;
  };

  Vector row_rates_;
  Vector spectrum_;
  std::size_t first_block_ = 0;
  GelfandTsetlinPattern smallest_, largest_;
  std::array<std::vector<Run>, 2> runs_;  ///< by parity of the row number
  std::array<std::size_t, 2> sites_{};
};

/// Public-size estimate of the work of one draw by coupling from the past: d³ k (0 for k = 1, which
/// never needs it).
double coupling_cost(Eigen::Index dimension, Eigen::Index rank);

/// About how long one draw takes when nothing quicker answers first, from public sizes alone: what
/// a plan can say and a progress bar can move by. bench_orbit measures it.
double coupling_seconds(Eigen::Index dimension, Eigen::Index rank);

inline constexpr double kCouplingCostLimit = 1e9;

/// Refuses, from public sizes only, an orbit whose exact draw could take too long. No limit is
/// applied while drawing: a cap there would change the law.
Result<void> check_coupling_cost(Eigen::Index dimension, Eigen::Index rank,
                                 double limit = kCouplingCostLimit);

}  // namespace eigenveil
