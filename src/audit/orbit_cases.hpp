#pragma once

#include <string_view>
#include <vector>

#include "audit/attack.hpp"
#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// Pairs of tables with rows along axes, where the law of what is released is known in closed form:
/// s = |u_1|² of a drawn direction has density proportional to exp(a s) (1 - s)^(d-2) on [0, 1].
enum class OrbitPair : std::uint8_t {
  Worst,         ///< rows along e2 hide what a row along e1 does: tight as their number grows
  EqualSpectra,  ///< C0 + e1 e1ᵀ against C0 + e2 e2ᵀ: all of it in the directions
  Empty,         ///< no row against one row: tight as the dimension grows
  LowRank,       ///< Algorithm 2: eigenvalues, count and direction move together
  Eigenvalues,   ///< the same pair, eigenvalues and count alone at their share
};
std::string_view name_of(OrbitPair pair);

struct OrbitAudit {
  double epsilon = 1.0;
  AttackSetting setting;
  OrbitPair pair = OrbitPair::Worst;
};

/// Equal spectra need replace-one; the empty table does not exist there.
bool applies(const OrbitAudit& request);

/// What is really spent on either part, over what is claimed.
struct OrbitVersion {
  std::string name = "as shipped";
  double directions = 1.0;
  double eigenvalues = 1.0;
};

/// An attack whose table and threshold were chosen by the exact law: what it will show is known
/// before it runs.
struct OrbitAttack {
  AuditCase attack;
  double guaranteed = 0.0;  ///< the lower bound on epsilon it reports, but for probability `miss`
  double most = 0.0;        ///< no threshold on this pair can show more
};
/// Among the sizes of the pair (rows that hide, dimension) and all thresholds, the ones with the
/// largest guaranteed bound for these runs.
Result<OrbitAttack> orbit_attack(const OrbitAudit& request, const OrbitVersion& version,
                                 const AuditSettings& settings, double miss);

/// "lowrank", with public and with noisy eigenvalues: every pair that applies, and the exponent
/// from its law.
Result<std::vector<Attack>> low_rank_attacks(const AuditRequest& request);

}  // namespace eigenveil
