#pragma once

#include <span>

#include "eigenveil/random/stream.hpp"

namespace eigenveil {

/// Standard normals in double precision by inversion, for samplers and simulation. Never add these
/// to data: additive release noise goes through random/rounded_noise.hpp.
void fill_standard_normal(RandomStream& stream, std::span<double> values);

/// Uniform in (0, 1) to a relative precision of 2^-53: never 0 or 1.
double uniform(RandomStream& stream);

}  // namespace eigenveil
