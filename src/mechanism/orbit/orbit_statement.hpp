#pragma once

#include <string>
#include <vector>

#include "eigenveil/privacy/guarantee.hpp"
#include "mechanism/moment/blurred_draw.hpp"
#include "mechanism/moment/drawn_budget.hpp"

namespace eigenveil {

/// What a guarantee assumes that rests on a draw on an orbit in double precision.
std::vector<std::string> orbit_assumptions(const Blur& blur, const DrawnBudget& divided,
                                           int group_size);

}  // namespace eigenveil
