#pragma once

#include <vector>

#include "audit/attack.hpp"
#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// "lowrank" at rho or mu: the exponent of a draw with a public spectrum from its law, Gaussian
/// noise on eigenvalues and count at their share by its likelihood ratio (both are tight), and
/// eigenvalues and direction together. docs/proofs/eigenvalue_noise.md,
/// docs/proofs/bounded_range.md.
Result<std::vector<Attack>> gaussian_low_rank_attacks(const AuditRequest& request);

}  // namespace eigenveil
