#pragma once

#include "cli/outcome.hpp"

namespace eigenveil::cli {

/// `plan bounds` and `plan scores`: what noisy counts would show, and what they cost.
Command plan_bounds_command();
Command plan_scores_command();

}  // namespace eigenveil::cli
