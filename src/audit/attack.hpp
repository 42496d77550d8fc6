#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/attacked_tables.hpp"
#include "audit/harness.hpp"
#include "eigenveil/privacy/calibration.hpp"

namespace eigenveil {

enum class AttackKind : std::uint8_t {
  Shipped,  ///< its claim must stand
  Mutant,   ///< broken on purpose: its claim must be refuted
  Outside,  ///< shipped, on a pair its guarantee does not speak of: shows what it does not cover
};

struct Attack {
  AuditCase attack;
  AttackKind kind = AttackKind::Shipped;
  /// Of a mutant that no number of runs shows on this pair: why.
  std::string out_of_reach;
  /// Where a run is slow and shows at once: no more than these; 0: as many as asked for.
  std::uint64_t most_runs = 0;
};

/// A broken version that spends `factor` times what is claimed. Too little noise, a missing factor
/// of the sensitivity and a wrong unit are all of this kind: the shipped mechanism at a budget it
/// does not claim.
struct Mutant {
  std::string name;
  double factor = 1.0;
};

/// Mutants that any mechanism has in a setting: a group counted as one row, and a bound taken for 1
/// (with row norm 1: a row of twice the norm let in).
std::vector<Mutant> setting_mutants(const AttackSetting& setting, std::size_t dimension);

/// What an audit of one method is asked for.
struct AuditRequest {
  Budget budget;
  AttackSetting setting;
  bool mutants = false;
  std::size_t dimension = 2;  ///< gauss, laplace, mask
  std::int64_t rows = 12;     ///< mask
  bool private_mean = false;  ///< gauss, laplace
  double variance_share =
      0.5;  ///< exponential, orbit: large enough that both parts of the loss show
  AuditSettings settings;
};

}  // namespace eigenveil
