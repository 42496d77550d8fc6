#pragma once

#include <string_view>
#include <vector>

#include "eigenveil/audit/harness.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/privacy/calibration.hpp"

namespace eigenveil {

/// A way a draw on an orbit could be wrong; every one must be refuted by an audit.
enum class OrbitMutant : std::uint8_t {
  None,
  ExponentDoubled,
  AddRemoveExponent,      ///< replace-one run at the exponent of add-remove
  EigenvaluesNotCounted,  ///< directions get the whole budget, eigenvalues come on top
};
std::string_view name_of(OrbitMutant mutant);

/// Pairs of diagonal tables in two dimensions, rank 1, where the likelihood ratio is known in
/// closed form: s = H_11 / l_1 has density proportional to exp(c (m_1 - m_2) s) on [0, 1].
enum class OrbitPair : std::uint8_t {
  Worst,         ///< rows along e2 hide what a row along e1 does: tight as their number grows
  EqualSpectra,  ///< C0 + e1 e1ᵀ against C0 + e2 e2ᵀ: all of it in the directions
  Empty,         ///< no row against one row
  LowRank,       ///< Algorithm 2: eigenvalue, count and direction move together
};
std::string_view name_of(OrbitPair pair);

struct OrbitAudit {
  double epsilon = 1.0;
  Relation relation = Relation::AddRemove;
  OrbitPair pair = OrbitPair::Worst;
};

/// Equal spectra need replace-one; the empty table does not exist there.
bool applies(const OrbitAudit& request);
Result<AuditCase> orbit_case(const OrbitAudit& request, OrbitMutant mutant);
/// The mutants that a pair can show.
std::vector<OrbitMutant> orbit_mutants(const OrbitAudit& request);
/// The largest log likelihood ratio of a pair of draws (not LowRank): what no attack exceeds.
double largest_direction_loss(const OrbitAudit& request);

}  // namespace eigenveil
