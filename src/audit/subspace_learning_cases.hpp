#pragma once

#include <vector>

#include "audit/harness.hpp"
#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// Attacks on one step of subspace learning: the shipped code first, then mutants that must be
/// refuted.
struct SubspaceAttacks {
  std::string name;
  std::vector<AuditCase> cases;
};

/// Runs on each data set unless told otherwise: about a minute, and every mutant shows at
/// epsilon 2, delta 0.05.
inline constexpr std::uint64_t kSubspaceAuditRuns = 20'000;

/// Worst pairs for the gap rule of exact points, the stability histogram (votes and grid) and the
/// weighing of the stable core, at any budget; a large delta lets the mutants show in few runs.
Result<std::vector<SubspaceAttacks>> subspace_attacks(const ApproxDp& budget, bool mutants);

}  // namespace eigenveil
