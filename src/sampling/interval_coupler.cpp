#include "sampling/interval_coupler.hpp"

#include <array>
#include <cassert>
#include <cstdint>

#include "core/multiversion.hpp"
#include "sampling/truncated_exponential.hpp"

namespace eigenveil::detail {
namespace {

using Lanes = std::array<double, kCouplerLanes>;
using Flags = std::array<std::int64_t, kCouplerLanes>;
using Words = std::array<std::uint64_t, kCouplerLanes>;

struct Hull {
  Lanes lower, upper;
};

/// The first pending chain of each lane together with the pending chains whose intervals overlap on
/// from it. Chains outside the hull see an independent part of the Poisson process.
template <std::size_t Chains>
[[gnu::always_inline]] inline void find_hulls(const double* lower, const double* upper,
                                              std::size_t stride,
                                              const std::array<Flags, Chains>& pending,
                                              Hull& hull) {
  Flags open{};
  hull.lower.fill(0.0);
  hull.upper.fill(0.0);
  for (std::size_t c = 0; c < Chains; ++c) {
    for (std::size_t s = 0; s < kCouplerLanes; ++s) {
      const double low = lower[c * stride + s];
      const double high = upper[c * stride + s];
      const std::int64_t starts = pending[c][s] & (open[s] ^ 1);
      const std::int64_t overlaps = low <= hull.upper[s] ? 1 : 0;
      const std::int64_t joins = pending[c][s] & open[s] & overlaps;
      hull.lower[s] = starts != 0 ? low : hull.lower[s];
      hull.upper[s] = (starts | joins) != 0 ? high : hull.upper[s];
      open[s] |= pending[c][s];
    }
  }
}

/// One draw of density e^{rate x} on each hull.
[[gnu::always_inline]] inline void draw_points(const Hull& hull, const double* rate,
                                               const double* inverse_rate, const Words& words,
                                               Lanes& point) {
  Lanes tilt;
  std::int64_t needs_logarithm = 0;
  for (std::size_t s = 0; s < kCouplerLanes; ++s) {
    const double width = hull.upper[s] - hull.lower[s];
    tilt[s] = width * rate[s];
    needs_logarithm += tilt[s] >= kSeriesLimit ? 1 : 0;
    const double x = hull.lower[s] + width * tilted_quantile(unit_interval(words[s]), tilt[s]);
    point[s] = x > hull.upper[s] ? hull.upper[s] : x;
  }
  if (needs_logarithm == 0) {
    return;
  }
  for (std::size_t s = 0; s < kCouplerLanes; ++s) {
    const double depth = exponential_modulo(unit_interval(words[s]), tilt[s]) * inverse_rate[s];
    const double x = hull.upper[s] - depth;
    const double inside = x < hull.lower[s] ? hull.lower[s] : x;
    const double clipped = inside > hull.upper[s] ? hull.upper[s] : inside;
    point[s] = tilt[s] >= kSeriesLimit ? clipped : point[s];
  }
}

template <std::size_t Chains>
[[gnu::always_inline]] inline std::size_t couple_lanes(CouplerBatch& batch, std::size_t first,
                                                       RandomStream& stream) {
  const std::size_t stride = batch.stride;
  const double* lower = batch.lower.data() + first;
  const double* upper = batch.upper.data() + first;
  double* value = batch.value.data() + first;
  std::array<Flags, Chains> pending;
  for (Flags& chain : pending) {
    chain.fill(1);
  }
  // A hull is the union of its intervals, so every draw settles at least one chain of its lane.
  for (std::size_t round = 0; round < Chains; ++round) {
    Hull hull;
    Lanes point;
    Words words;
    find_hulls<Chains>(lower, upper, stride, pending, hull);
    stream.fill(words);
    draw_points(hull, batch.rate.data() + first, batch.inverse_rate.data() + first, words, point);
    std::int64_t left = 0;
    for (std::size_t c = 0; c < Chains; ++c) {
      for (std::size_t s = 0; s < kCouplerLanes; ++s) {
        const std::size_t at = c * stride + s;
        const std::int64_t above = lower[at] <= point[s] ? 1 : 0;
        const std::int64_t below = point[s] <= upper[at] ? 1 : 0;
        const std::int64_t taken = pending[c][s] & above & below;
        value[at] = taken != 0 ? point[s] : value[at];
        pending[c][s] ^= taken;
        left += pending[c][s];
      }
    }
    if (left == 0) {
      break;
    }
  }
  std::int64_t apart = 0;
  for (std::size_t s = 0; s < kCouplerLanes; ++s) {
    apart += value[s] != value[(Chains - 1) * stride + s] ? 1 : 0;
  }
  return static_cast<std::size_t>(apart);
}

template <std::size_t Chains>
[[gnu::always_inline]] inline std::size_t couple_all(CouplerBatch& batch, RandomStream& stream) {
  std::size_t apart = 0;
  for (std::size_t first = 0; first < batch.stride; first += kCouplerLanes) {
    apart += couple_lanes<Chains>(batch, first, stream);
  }
  return apart;
}

EIGENVEIL_MULTIVERSION std::size_t couple_one(CouplerBatch& batch, RandomStream& stream) {
  return couple_all<1>(batch, stream);
}

EIGENVEIL_MULTIVERSION std::size_t couple_two(CouplerBatch& batch, RandomStream& stream) {
  return couple_all<2>(batch, stream);
}

EIGENVEIL_MULTIVERSION std::size_t couple_three(CouplerBatch& batch, RandomStream& stream) {
  return couple_all<3>(batch, stream);
}

}  // namespace

std::size_t couple_intervals(CouplerBatch& batch, std::size_t chains, RandomStream& stream) {
  assert(chains >= 1 && chains <= kMaxChains && "one, two or three chains");
  if (chains == 1) {
    return couple_one(batch, stream);
  }
  return chains == 2 ? couple_two(batch, stream) : couple_three(batch, stream);
}

}  // namespace eigenveil::detail
