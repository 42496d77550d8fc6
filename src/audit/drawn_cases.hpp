#pragma once

#include <vector>

#include "audit/attack.hpp"
#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// Methods that draw directions and then measure the variance inside them: "exponential" (one
/// component in the plane) and "orbit" (all components but one, the default of pure epsilon with
/// several). Each part is attacked at its share, where it is tight, and the whole release by its
/// likelihood ratio. The exponent is also read from the law of the draw: outcomes that show it as a
/// loss are rare. docs/proofs/exponential.md, docs/proofs/orbit.md.
Result<std::vector<Attack>> drawn_attacks(const std::string& method, const AuditRequest& request);

/// The exponent of a draw on the orbit of one public eigenvalue ("lowrank --target-spectrum"), from
/// its law.
Result<std::vector<Attack>> orbit_exponent_attacks(const AuditRequest& request);

}  // namespace eigenveil
