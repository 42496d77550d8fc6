#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "audit/attack.hpp"
#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// Attacks on what a release that was drawn in doubles says in its last digits: errors of solver
/// and sampler depend on the rows, and no law of the mechanism speaks of them.
enum class LowBits : std::uint8_t {
  Trace,         ///< of a drawn Hermitian matrix, against the sum of its eigenvalues
  RankResidual,  ///< its determinant, which is 0
  LastDigit,     ///< of its first entry
  NormResidual,  ///< of a drawn direction: |u|² - 1
  LastDigitOfDirection,
};
inline constexpr std::array kLowBits = {LowBits::Trace, LowBits::RankResidual, LowBits::LastDigit,
                                        LowBits::NormResidual, LowBits::LastDigitOfDirection};
std::string_view name_of(LowBits attacked);

struct LowBitsAudit {
  double epsilon = 0.1;
  Relation relation = Relation::AddRemove;
  LowBits attacked = LowBits::Trace;
};

/// On the pair that refuted version 0.1: rows (cos .3, sin .3), (.5, .1), with and without
/// (cos .85, sin .85), in whose second moments the errors of the solver differ.
Result<AuditCase> low_bits_case(const LowBitsAudit& request);

/// The trace as it was released then: H rounded to a grid and no more. The solver's vectors are one
/// unit in the last place too long on one table and too short on the other, whatever the processor,
/// and the grid is 64 times finer, so that few runs show it. Must be refuted.
Result<AuditCase> rounded_trace_mutant(const LowBitsAudit& request);

/// All of them, the mutant where it is asked for.
Result<std::vector<Attack>> low_bits_attacks(const AuditRequest& request);

}  // namespace eigenveil
