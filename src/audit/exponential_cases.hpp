#pragma once

#include <vector>

#include "audit/harness.hpp"
#include "eigenveil/core/result.hpp"
#include "mechanism/exponential/exponential.hpp"

namespace eigenveil {

/// A way the exponential mechanism could be wrong; every one must be refuted by an audit.
enum class ExponentialMutant : std::uint8_t {
  None,
  ExponentDoubled,
  RelationFactorMissing,  ///< replace-one at the exponent of add-remove
  ShareNotCounted,        ///< the draw spends the whole budget, the variance its share on top
};
std::string_view name_of(ExponentialMutant mutant);

/// Two columns; several rows along the second axis, so that a direction along the first is rare,
/// and one more row along the first: there the loss of draw, variance and count add up to the claim
/// (docs/proofs/exponential.md, tightness).
struct ExponentialAudit {
  Budget budget;
  Relation relation = Relation::AddRemove;
  double variance_share = 0.5;  ///< large enough that both parts of the loss are seen
};
Result<AuditCase> exponential_case(const ExponentialAudit& request, ExponentialMutant mutant);
std::vector<ExponentialMutant> exponential_mutants(const ExponentialAudit& request);

}  // namespace eigenveil
