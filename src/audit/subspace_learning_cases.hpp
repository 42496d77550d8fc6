#pragma once

#include <vector>

#include "audit/attack.hpp"
#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// Attacks on one step of subspace learning: the shipped code first, then mutants that must be
/// refuted.
struct SubspaceAttacks {
  std::string name;
  std::vector<AuditCase> cases;
};

/// Worst pairs for the gap rule of exact points, the stability histogram (votes and grid) and the
/// weighing of the stable core, at any budget; a large delta lets the mutants show in few runs.
Result<std::vector<SubspaceAttacks>> subspace_attacks(const ApproxDp& budget, bool mutants);

/// The same as one list.
Result<std::vector<Attack>> subspace_learning_attacks(const AuditRequest& request);

}  // namespace eigenveil
