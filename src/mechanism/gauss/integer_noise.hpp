#pragma once

#include <cstdint>
#include <vector>

#include "eigenveil/random/stream.hpp"
#include "mechanism/moment/noisy_moment.hpp"

namespace eigenveil {

/// The noise of method gauss as integers, for a sum that is made elsewhere: x integer gives
/// round(x + g) = x + round(g), so that adding these is the exactly rounded mechanism on grid steps
/// of 1. In the order of the packed triangle of (t, x), nothing on the corner (the number of rows
/// is public); the same draws as add_rounded_noise on grid exponent 0.
std::vector<std::int64_t> gaussian_integer_noise(const MomentShape& shape, const NoiseScale& scale,
                                                 RandomStream& stream);

/// Whole steps of a grid with this much noise, for a row: exactly rounded as well.
std::vector<std::int64_t> gaussian_cell_noise(std::size_t cells, double sigma_in_steps,
                                              RandomStream& stream);

/// Noise of so many steps is drawn without leaving 64 bits or double precision.
inline constexpr double kMostNoiseSteps = 0x1p30;

}  // namespace eigenveil
