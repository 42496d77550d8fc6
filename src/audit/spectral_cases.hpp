#pragma once

#include <vector>

#include "audit/attack.hpp"
#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// The noisy parts of "spiked-robust" (gap, projector, matrix inside), "oja" (a batch) and "spiked"
/// (projectors that differ by its sensitivity), each at its share of the budget, by likelihood
/// ratio. "spiked" also on a pair its model does not speak of.
Result<std::vector<Attack>> spectral_attacks(const std::string& method,
                                             const AuditRequest& request);

}  // namespace eigenveil
