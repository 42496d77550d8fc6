#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/harness.hpp"
#include "cli/outcome.hpp"

namespace eigenveil::cli {

struct AttackRun {
  std::string method;
  Relation relation = Relation::AddRemove;
  std::uint64_t runs = 0;
  std::optional<std::uint64_t> seed;
};

/// Every bound an attack prints is right with confidence 99.9%.
inline constexpr double kAttackError = 1e-3;

/// Runs the attacks and prints a line for each. The first is the shipped mechanism, whose claim
/// must stand; the others are mutants, which must be refuted. Anything else is a failure.
Outcome run_attacks(const AttackRun& run, const std::vector<AuditCase>& attacks);

}  // namespace eigenveil::cli
