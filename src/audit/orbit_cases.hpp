#pragma once

#include <string_view>
#include <vector>

#include "audit/harness.hpp"
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

/// Pairs of tables with rows along axes, where the law of what is released is known in closed form:
/// s = |u_1|² of a drawn direction has density proportional to exp(a s) (1 - s)^(d-2) on [0, 1].
enum class OrbitPair : std::uint8_t {
  Worst,         ///< rows along e2 hide what a row along e1 does: tight as their number grows
  EqualSpectra,  ///< C0 + e1 e1ᵀ against C0 + e2 e2ᵀ: all of it in the directions
  Empty,         ///< no row against one row: tight as the dimension grows
  LowRank,       ///< Algorithm 2: eigenvalues, count and direction move together
};
std::string_view name_of(OrbitPair pair);

struct OrbitAudit {
  double epsilon = 1.0;
  Relation relation = Relation::AddRemove;
  OrbitPair pair = OrbitPair::Worst;
};

/// Equal spectra need replace-one; the empty table does not exist there.
bool applies(const OrbitAudit& request);

/// An attack whose table and threshold were chosen by the exact law: what it will show is known
/// before it runs.
struct OrbitAttack {
  AuditCase attack;
  double guaranteed = 0.0;  ///< the lower bound on epsilon it reports, but for probability `miss`
  double most = 0.0;        ///< no threshold on this pair can show more
};
/// Among the sizes of the pair (rows that hide, dimension) and all thresholds, the ones with the
/// largest guaranteed bound for these runs.
Result<OrbitAttack> orbit_attack(const OrbitAudit& request, OrbitMutant mutant,
                                 const AuditSettings& settings, double miss);

/// The mutants that a pair can show at all: with enough runs more than the claim.
std::vector<OrbitMutant> orbit_mutants(const OrbitAudit& request);

/// The fewest runs, a power of two up to `most_runs`, whose guaranteed bound exceeds `loss` (the
/// claim: then the mutant is refuted); 0 if there are none.
std::uint64_t runs_to_show(double loss, const OrbitAudit& request, OrbitMutant mutant,
                           const AuditSettings& most_runs, double miss);

}  // namespace eigenveil
