#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "eigenveil/random/stream.hpp"

namespace eigenveil {

/// Exactly rounded continuous noise.
///
/// `round_with_*` replaces every offset f (a fraction of the grid step, 0 <= f < 1) by the integer
/// round(f + s * Z), Z standard normal or standard Laplace, computed without any floating-point
/// error: the result is the continuous mechanism followed by rounding, so the guarantee of the
/// continuous mechanism holds as it stands (post-processing). Ties have probability zero.
///
/// `s` is the noise scale in grid steps: the standard deviation for the Gaussian, the scale b
/// (variance 2 b^2) for Laplace. It must lie in [1, 2^40]; kNoiseStepsLog2 tells the value range
/// mechanisms use. Proof: docs/proofs/rounded_noise.md.
void round_with_gaussian(RandomStream& stream, double s, std::span<const double> offsets,
                         std::span<std::int64_t> rounded);
void round_with_laplace(RandomStream& stream, double s, std::span<const double> offsets,
                        std::span<std::int64_t> rounded);

/// Bits are drawn for this many entries at a time, so that entries handed over in multiples of it
/// get the noise they would have got at once.
inline constexpr std::size_t kNoiseBlock = 512;

/// Mechanisms choose the public grid step so that s lies in [2^20, 2^21): fine enough that rounding
/// adds nothing visible, coarse enough that double precision almost always decides the rounding.
inline constexpr int kNoiseStepsLog2 = 20;

}  // namespace eigenveil
