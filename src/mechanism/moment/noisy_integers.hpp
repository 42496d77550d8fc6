#pragma once

#include <vector>

#include "eigenveil/core/integers.hpp"
#include "mechanism/moment/noisy_moment.hpp"

namespace eigenveil {

/// Rounds (integer + noise) to the public grid of the scale, exactly: one independent draw of
/// `scale.law` with scale `scale.diagonal` per integer. The caller has shown that the scale fits
/// the sensitivity and that `noise_grid_exponent` accepts it.
Vector add_rounded_noise(const std::vector<Int128>& integers, const NoiseScale& scale,
                         RandomStream& stream);

}  // namespace eigenveil
