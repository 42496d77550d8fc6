#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "eigenveil/core/digest.hpp"
#include "eigenveil/privacy/guarantee.hpp"
#include "random/truncated_laplace.hpp"

namespace eigenveil {

/// One vote per group, over an unbounded set of keys; a group may abstain.
using Vote = std::optional<Digest>;

/// The winning cell: a group that voted for it, and its noisy count. What is released about the
/// cell must be a function of its key alone.
struct NoisyWinner {
  std::size_t group = 0;
  std::int64_t noisy_count = 0;
};

/// Stability histogram: every cell gets truncated Laplace noise of bound A, cells whose noisy count
/// is at most A stay hidden. A cell without votes never passes, so only cells with votes need a
/// draw, and the histogram over all keys is simulated exactly. Replacing a row changes the vote of
/// one group: two counts move by one. (epsilon, delta)-DP; proof: docs/proofs/grid_and_votes.md.
class StabilityHistogram {
 public:
  static Result<StabilityHistogram> make(const ApproxDp& budget);
  std::int64_t noise_bound() const { return noise_.bound(); }
  /// Votes that agree must be this many for the winner to pass both thresholds with certainty,
  /// when there are `groups` of them.
  std::int64_t sure_votes(std::size_t groups) const;
  /// Probability that a cell with this many of `groups` votes passes both thresholds.
  double pass_probability(std::int64_t votes, std::size_t groups) const;
  /// The cell with the largest noisy count, if that exceeds the threshold and half of the groups.
  /// The true counts are compared with nothing.
  std::optional<NoisyWinner> winner(const std::vector<Vote>& votes, RandomStream& stream) const;

 private:
  /// A noisy count must exceed this: the threshold of stability, and half of the groups.
  std::int64_t threshold(std::size_t groups) const;
  explicit StabilityHistogram(TruncatedLaplace noise) : noise_(std::move(noise)) {}
  TruncatedLaplace noise_;
};

}  // namespace eigenveil
