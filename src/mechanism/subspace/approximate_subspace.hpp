#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eigenveil/privacy/release.hpp"
#include "mechanism/subspace/stability_histogram.hpp"
#include "mechanism/subspace/stable_core.hpp"

namespace eigenveil {

enum class SubspaceAggregate : std::uint8_t { Core, Grid };

/// Everything public.
struct SubspaceRequest {
  /// Noise as large as the signal turns a direction by half a right angle, 1 / sqrt(2): beyond
  /// that, more of a released direction may be noise than not.
  static constexpr double kNoiseAsLargeAsSignal = 0.70710678118654752;
  std::size_t rows = 0;
  std::size_t dimension = 0;
  std::size_t subspace = 1;  ///< k
  ApproxDp budget{};
  SubspaceAggregate aggregate = SubspaceAggregate::Core;
  /// sqrt(lambda_(k+1) / lambda_k) the data are assumed to have at most; nothing: a ladder of
  /// values is searched privately (core).
  std::optional<double> gamma;
  std::optional<std::size_t> groups;
  std::size_t references_per_direction = 4;  ///< C1: q = C1 k
  double cell_factor = 1.0;                  ///< grid (C2): cell side over the default one
  double radius_factor = 1.0;                ///< core: radius over the default one
  /// NULL is answered when noise may turn the subspace by more than this (sine; grid: is expected
  /// to); in (0, 1).
  double largest_noise_angle = kNoiseAsLargeAsSignal;
};

/// A subspace, or NULL, which is a legal answer.
struct LearnedSubspace {
  bool found = false;
  Matrix frame;           ///< d x k, orthonormal
  double noise_sd = 0.0;  ///< of a coordinate of a released reference point
  /// Noise and rounding, or the random point of the cell, turn the subspace by at most this (sine),
  /// but for probability 0.001 (Wedin's bound).
  double noise_angle = 0.0;
  double radius = 0.0;  ///< core: at which the groups agree
};

/// Learning a subspace near which the points lie. (epsilon, delta)-DP for replacing one point by
/// any other, of any norm, for every data set. Proofs: docs/proofs/stable_core.md,
/// docs/proofs/grid_and_votes.md.
class SubspacePlan {
 public:
  static Result<SubspacePlan> make(const SubspaceRequest& request);
  /// What every plan for this budget and aggregate states, whatever the sizes are.
  static Guarantee stated(const ApproxDp& budget, SubspaceAggregate aggregate);

  const SubspaceRequest& request() const { return request_; }
  const GroupShape& shape() const { return shape_; }
  const Guarantee& guarantee() const { return guarantee_; }
  std::string aggregate_name() const { return core_ ? "core" : "grid"; }
  const std::vector<double>& radii() const { return radii_; }  ///< core, increasing
  const std::vector<double>& gammas() const { return gammas_; }
  double cell_side() const { return cell_side_; }  ///< grid
  /// Core: expected weight over full weight. Grid: probability that all groups share a cell.
  double agreement() const { return agreement_; }
  /// Grid: probability that a cell wins, which takes a little more than half of the groups.
  double answer_probability() const { return answer_probability_; }
  /// Sine of the angle expected at this gamma (first order); the largest gamma with a given one.
  double predicted_angle(double gamma) const { return angle_per_gamma_ * gamma; }
  double largest_gamma(double angle) const { return angle / angle_per_gamma_; }

  GroupBuilder builder(RandomStream& stream, int threads) const;
  Release<LearnedSubspace> run(const GroupPositions& positions, RandomStream& stream,
                               int threads) const;

 private:
  SubspacePlan() = default;
  Result<void> plan_core();
  Result<void> plan_grid();
  Result<void> try_core(std::size_t groups);
  LearnedSubspace run_core(const GroupPositions& positions, RandomStream& stream,
                           int threads) const;
  double largest_grid_noise() const;
  LearnedSubspace run_grid(const GroupPositions& positions, RandomStream& stream) const;

  SubspaceRequest request_;
  GroupShape shape_;
  std::vector<double> gammas_;
  std::vector<double> radii_;
  double cell_side_ = 0.0;
  std::int64_t side_steps_ = 0;
  double agreement_ = 0.0;
  double answer_probability_ = 0.0;
  double angle_per_gamma_ = 0.0;
  std::optional<StableCore> core_;
  std::optional<StabilityHistogram> histogram_;
  Guarantee guarantee_;
};

/// Boosting (Algorithm 3 of Singhal and Steinke): the first of the subspaces learned on disjoint
/// parts that lies within `angle` (sine) of at least 0.6 parts - 1 others; NULL if there is none.
/// Post-processing.
LearnedSubspace agreeing_subspace(const std::vector<LearnedSubspace>& parts, double angle);
/// Parts for a failure probability: odd, at least 3.
std::size_t boosting_parts(double failure_probability);

/// Sine of the largest principal angle between two frames with the same number of columns.
double sine_of_angle(const Matrix& first, const Matrix& second);

}  // namespace eigenveil
