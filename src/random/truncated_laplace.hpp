#pragma once

#include <cstdint>
#include <vector>

#include "eigenveil/core/integers.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/random/stream.hpp"

namespace eigenveil {

/// Truncated Laplace noise on the integers: a table of integer weights on [-bound, bound], drawn
/// from exactly. Added to an integer that moves by at most `sensitivity` between neighbours it is
/// (epsilon, delta)-DP; nothing is rounded and no real number is involved when it is drawn.
///  - weights of points at most `sensitivity` apart differ by a factor of at most e^epsilon;
///  - the outermost `sensitivity` points of one side hold at most a share delta of the total.
/// The bound is the smallest with these properties. Proof: docs/proofs/truncated_laplace.md.
class TruncatedLaplace {
 public:
  static constexpr std::int64_t kLargestBound = std::int64_t{1} << 22;

  /// Refused where the table would be too long or delta too small (public numbers alone).
  static Result<TruncatedLaplace> make(std::int64_t sensitivity, double epsilon, double delta);

  std::int64_t bound() const { return static_cast<std::int64_t>(weights_.size()) - 1; }
  std::int64_t draw(RandomStream& stream) const;
  /// P(noise = x) is weight(x) / total(), exactly.
  UInt128 weight(std::int64_t x) const;
  UInt128 total() const { return total_; }
  double probability(std::int64_t x) const;

 private:
  std::vector<UInt128> weights_;     // by distance from zero
  std::vector<UInt128> cumulative_;  // of distances 0 .. j, both signs
  UInt128 total_ = 0;
};

/// Uniform on 0, ..., range - 1, exactly; range >= 1.
UInt128 uniform_below(RandomStream& stream, UInt128 range);

}  // namespace eigenveil
