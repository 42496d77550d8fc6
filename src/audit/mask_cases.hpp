#pragma once

#include <vector>

#include "audit/attack.hpp"
#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// Masked pseudo-data on the pairs of docs/proofs/masking.md: other rows zero, other rows large, a
/// column of ones (zero-row), and a row that becomes an orthogonal one (replace-one).
Result<std::vector<Attack>> mask_attacks(const AuditRequest& request);

}  // namespace eigenveil
