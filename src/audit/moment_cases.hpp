#pragma once

#include <vector>

#include "audit/harness.hpp"
#include "eigenveil/core/result.hpp"
#include "mechanism/moment/moment_plan.hpp"

namespace eigenveil {

/// A way a second-moment release could be wrong; every one must be refuted by an audit.
enum class MomentMutant : std::uint8_t {
  None,
  NoiseTooSmall,          ///< noise x 0.9
  RelationFactorMissing,  ///< replace-one run with the noise of add-remove
  QuarterVariance,        ///< off-diagonal entries at a quarter of the variance instead of half
  ClippingSkipped,        ///< a row of twice the bound gets in
  WrongNorm,              ///< Laplace noise scaled to the Frobenius sensitivity
};
std::string_view name_of(MomentMutant mutant);

/// Pairs on which the claim of gauss or laplace is tight: an empty table against one extreme row
/// (add-remove), one extreme row against another (replace-one), a zero row against an extreme one
/// (zero-row).
struct MomentAudit {
  std::string method;  ///< "gauss" or "laplace"
  std::size_t dimension = 2;
  Budget budget;
  Relation relation = Relation::AddRemove;
  Extension extension = Extension::Count;
};
Result<AuditCase> moment_case(const MomentAudit& request, MomentMutant mutant);

/// The mutants that make sense for a request.
std::vector<MomentMutant> moment_mutants(const MomentAudit& request);

}  // namespace eigenveil
