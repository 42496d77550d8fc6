#pragma once

#include <string>
#include <vector>

#include "eigenveil/privacy/guarantee.hpp"
#include "mechanism/moment/blurred_draw.hpp"
#include "mechanism/moment/drawn_budget.hpp"

namespace eigenveil {

/// What the probability D of an error that the blur does not hide adds to delta, for directions
/// drawn with `directions` of epsilon for one row: (1 + e^e) D for one row, e^(j e) times that for
/// the j-th of a group. Proof: docs/proofs/double_precision.md.
double effective_delta(double failure, PureDp directions, int group_size);

/// draw_assumptions with this delta as a number; those of a Gaussian budget, which has no one
/// delta, say it in words.
std::vector<std::string> pure_draw_assumptions(const Blur& blur, PureDp directions, int group_size);

/// The one of the two that fits what the whole release promises.
std::vector<std::string> drawn_assumptions(const Blur& blur, const DrawnBudget& divided,
                                           int group_size);

}  // namespace eigenveil
