#pragma once

#include "eigenveil/engine/registry.hpp"

namespace eigenveil {

/// `outlook` for people and machines that choose a method. For noise on a second moment and an
/// assumed spectrum it says what the components would be like on made-up tables, beside every
/// method with the same promise, and which of them is best: the answer of `compare_methods`, so
/// that a plan and a comparison never disagree. Slower than `outlook` by these trials.
Result<PlanFacts> outlook_with_choice(const Request& request, const AssumedTable& table);

}  // namespace eigenveil
