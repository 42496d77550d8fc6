#pragma once

#include "audit/attack.hpp"
#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// Rows far outside of every bound, read through the stages in front of the second moment: missing
/// cells pair by pair, weights, a public basis and what it leaves out, rows of norm 1. Gaussian
/// budgets.
Result<std::vector<Attack>> stage_attacks(const AuditRequest& request);

}  // namespace eigenveil
