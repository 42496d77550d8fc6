#pragma once

#include <cstddef>
#include <vector>

#include "eigenveil/random/stream.hpp"

namespace eigenveil::detail {

/// Lanes handled together; arrays are padded to a multiple of it.
inline constexpr std::size_t kCouplerLanes = 32;
inline constexpr std::size_t kMaxChains = 3;

constexpr std::size_t padded_to_lanes(std::size_t count) {
  return (count + kCouplerLanes - 1) / kCouplerLanes * kCouplerLanes;
}

/// One heat-bath update of many sites in one, two or three ordered chains. Chain c holds site s at
/// [c * stride + s]; stride is a multiple of kCouplerLanes and padding has lower = upper = 0.
struct CouplerBatch {
  explicit CouplerBatch(std::size_t sites)
      : stride(padded_to_lanes(sites)),
        rate(stride, 0.0),
        inverse_rate(stride, 0.0),
        lower(kMaxChains * stride, 0.0),
        upper(kMaxChains * stride, 0.0),
        value(kMaxChains * stride, 0.0) {}

  std::size_t stride;
  std::vector<double> rate;          ///< density e^{rate x}, rate >= 0
  std::vector<double> inverse_rate;  ///< 1 / rate; 0 where the rate is 0
  std::vector<double> lower, upper;  ///< intervals, increasing in the chain
  std::vector<double> value;         ///< the draws, increasing in the chain
};

/// Every chain takes the point of lowest mark, inside its own interval, of one Poisson process with
/// intensity e^{rate x} dx dt. So each value has the truncated exponential law of its interval, the
/// order of the chains is kept, and chains that take a common point hold the same double from then
/// on. Returns the number of sites where the first and the last chain differ.
/// Proof: docs/proofs/orbit_samplers.md, section 5.
std::size_t couple_intervals(CouplerBatch& batch, std::size_t chains, RandomStream& stream);

}  // namespace eigenveil::detail
