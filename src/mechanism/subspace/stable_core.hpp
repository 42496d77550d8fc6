#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "eigenveil/privacy/guarantee.hpp"
#include "mechanism/subspace/group_positions.hpp"
#include "random/truncated_laplace.hpp"

namespace eigenveil {

/// Weights of t groups by how many others lie near, in whole units. With T = t - 1 others and
/// S = ceil(T / 2) units for full weight, w_i = clamp(c_i - floor(T / 2), 0, S).
struct CoreUnits {
  std::int64_t groups = 0;
  std::int64_t others() const { return groups - 1; }
  std::int64_t full() const { return others() - others() / 2; }
  std::int64_t weight(std::int64_t near) const;
  /// How far the sum of all weights can move when one group moves: S + T, attained.
  std::int64_t sensitivity() const { return full() + others(); }
  /// B(w): where one group moves and both data sets have weight w or more, at most B(w) / W' of
  /// the normalised weight moves, W' the larger of the two; decreasing in w, at most
  /// sensitivity(), and from 1.25 full weights (all agree) to 2 (half of them do). Rounded up.
  double moved_mass(double weight) const;
};

/// near[i] = how many other groups lie within `radius` steps of group i, for every radius of an
/// increasing list: result[r][i].
using NearCounts = std::vector<std::vector<std::int64_t>>;
NearCounts count_near(const GroupPositions& positions, const std::vector<double>& radii,
                      int threads);

/// The budget of a core release: `tests` weighings of the core and one Gaussian average.
struct CoreBudget {
  ApproxDp weighing{};  ///< for each test
  int tests = 1;
  GaussianDp average{};  ///< mu of the Gaussian step
  ApproxDp total{};
};

/// Splits (epsilon, delta): the share for weighing that gives the smallest noise when all groups
/// agree.
Result<CoreBudget> split_core_budget(const ApproxDp& budget, int tests, std::int64_t groups);

struct CoreAverage {
  Matrix reference_points;   ///< d x q, noisy
  double noise_sd = 0.0;     ///< of every coordinate
  double radius = 0.0;       ///< that was found to hold a core
  double noisy_share = 0.0;  ///< noisy weight of the core over its largest possible value
};

/// Averages the positions that form a core at one of `radii` (increasing, in units of the
/// reference points; the smallest that passes is searched for by bisection, `tests` weighings).
/// NULL if none passes. (epsilon, delta)-DP for one moved group; proof: docs/proofs/stable_core.md.
class StableCore {
 public:
  static Result<StableCore> make(const GroupShape& shape, std::vector<double> radii,
                                 const ApproxDp& budget);
  /// With a split of the caller's: the parts decide about the noise, the caller answers for the
  /// sum. `tests` must be the number of weighings that bisection over the radii takes.
  static Result<StableCore> make(const GroupShape& shape, std::vector<double> radii,
                                 const CoreBudget& split);
  const CoreBudget& budget() const { return budget_; }
  std::int64_t noise_bound() const { return noise_.bound(); }
  /// Noise of the average for a given noisy weight, in units of the reference points.
  double noise_sd(double radius, double noisy_weight) const;
  /// Weight (noise included) that can be counted on when a share `agreement` of full weight is
  /// there; not positive: too few groups.
  double expected_weight(double agreement) const;
  std::optional<CoreAverage> run(const GroupPositions& positions, RandomStream& stream,
                                 int threads) const;
  /// The half of a run that draws nothing and takes the time: private data, for many runs on the
  /// same positions.
  NearCounts near(const GroupPositions& positions, int threads) const;
  std::optional<CoreAverage> run(const GroupPositions& positions, const NearCounts& near,
                                 RandomStream& stream) const;

 private:
  StableCore(GroupShape shape, std::vector<double> radii, CoreBudget budget,
             TruncatedLaplace noise);
  CoreAverage average(const GroupPositions& positions, const std::vector<std::int64_t>& near,
                      std::size_t rung, std::int64_t noisy_weight, RandomStream& stream) const;
  GroupShape shape_;
  CoreUnits units_;
  std::vector<double> radii_;
  CoreBudget budget_;
  TruncatedLaplace noise_;
};

}  // namespace eigenveil
