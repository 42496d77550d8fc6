// The last digits of releases that were drawn in doubles, on the pair that refuted version 0.1.
#include <gtest/gtest.h>

#include "audit/low_bits.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test {
namespace {

constexpr std::array kRelations = {Relation::AddRemove, Relation::ReplaceOne, Relation::ZeroRow};
constexpr double kFalseAlarm = alpha_of("audit: low bits") / (kRelations.size() * kLowBits.size());

TEST(LowBitsAttack, ShippedReleasesShowNothingAndRoundingAloneIsRefuted) {
  RandomStream stream = RandomStream::seeded(seed_for("audit.low_bits"));
  for (const Relation relation : kRelations) {
    for (const LowBits attacked : kLowBits) {
      const AuditCase attack = *low_bits_case({0.1, relation, attacked});
      const AuditResult found = audit(attack, {10'000, kFalseAlarm, 2}, stream);
      EXPECT_FALSE(found.refuted()) << name_of(relation) << ", " << found.name;
    }
    // 2^-50 of 2^-45: a trace is off by a step in one run of 32, and to the other side on the
    // neighbour; 5000 runs that measure leave less than 1e-9 of a chance to miss it.
    const AuditCase mutant = *rounded_trace_mutant({0.1, relation, LowBits::Trace});
    EXPECT_TRUE(audit(mutant, {10'000, 1e-3, 2}, stream).refuted()) << name_of(relation);
  }
}

}  // namespace
}  // namespace eigenveil::test
