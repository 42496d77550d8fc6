#pragma once

#include <vector>

#include "audit/harness.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/privacy/calibration.hpp"

namespace eigenveil {

/// A way a subspace release could be wrong; every one must be refuted by an audit.
enum class SubspaceMutant : std::uint8_t {
  None,
  NoiseTooSmall,          ///< noise x 0.9
  RelationFactorMissing,  ///< replace-one run with the sensitivity of add-remove (gap)
  ClippingSkipped,        ///< a row of twice the bound gets in
  ConfidenceDropped,      ///< projector noise for twice the gap the lower bound vouches for
};
std::string_view name_of(SubspaceMutant mutant);

/// The parts of the subspace methods that a tight attack exists for.
enum class SubspacePart : std::uint8_t {
  RobustGap,        ///< spiked-robust: the noisy gap, through the shipped run
  RobustProjector,  ///< spiked-robust: the noisy projector at the lower bound, likelihood ratio
  OjaBatch,         ///< oja: one noisy batch, through the shipped pass
  SpikedProjector,  ///< spiked: two projectors that differ by its sensitivity
};
std::string_view name_of(SubspacePart part);

struct SubspaceAudit {
  SubspacePart part = SubspacePart::RobustGap;
  ApproxDp budget{1.0, 1e-3};
  Relation relation = Relation::AddRemove;  ///< of spiked-robust
};
/// The claim of a case is that of its part: mu of its share of the budget.
Result<AuditCase> subspace_case(const SubspaceAudit& request, SubspaceMutant mutant);
/// What a mutant loses over what its part claims, at least: the factor on mu.
double excess_factor(SubspacePart part, SubspaceMutant mutant);
std::vector<SubspaceMutant> subspace_mutants(const SubspaceAudit& request);

}  // namespace eigenveil
