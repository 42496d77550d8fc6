#pragma once

#include <string>
#include <vector>

#include "eigenveil/privacy/guarantee.hpp"
#include "mechanism/moment/blurred_draw.hpp"

namespace eigenveil {

/// What a guarantee assumes that rests on a draw on an orbit in double precision: `directions` is
/// what it costs for one row.
std::vector<std::string> orbit_assumptions(const Blur& blur, PureDp directions, int group_size);

}  // namespace eigenveil
