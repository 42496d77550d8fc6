// Attacks on masked rows: both pairs of the proof page stand, every mutant falls.
#include <gtest/gtest.h>

#include "audit/mask_cases.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::mask_audit_test {
namespace {

AuditResult attack(const MaskAudit& request, MaskPair pair, MaskMutant mutant) {
  RandomStream stream = RandomStream::seeded(seed_for("audit.mask"));
  // Used twice, the noise shows at once; its streams are made anew in every run, which is slow.
  const std::uint64_t runs = mutant == MaskMutant::MaskReused ? 20'000 : 300'000;
  const AuditSettings settings{runs, alpha_of("audit: masked rows") / 4.0, 2};
  return audit(*mask_case(request, pair, mutant), settings, stream);
}

TEST(MaskAttack, TheClaimStandsOnBothPairsAndIsNearlyAttained) {
  const MaskAudit request{12, 2, {1.0, 0.05}};
  for (const MaskPair pair : {MaskPair::OtherRowsZero, MaskPair::OtherRowsLarge}) {
    const AuditResult result = attack(request, pair, MaskMutant::None);
    EXPECT_FALSE(result.refuted()) << result.name << ' ' << result.lower_bound;
    EXPECT_GT(result.lower_bound, 0.7) << result.name;
  }
}

/// The group bound of replace-one is not attained, and a kept 1 hides more than no row would.
TEST(MaskAttack, TheClaimStandsForReplacedRowsAndColumnsOfOnes) {
  for (const MaskPair pair : {MaskPair::ReplacedRow, MaskPair::WithIntercept}) {
    const AuditResult result = attack({12, 2, {1.0, 0.05}}, pair, MaskMutant::None);
    EXPECT_FALSE(result.refuted()) << result.name << ' ' << result.lower_bound;
    EXPECT_GT(result.lower_bound, 0.0) << result.name;
  }
}

TEST(MaskAttack, EveryMutantIsRefuted) {
  for (const auto& [mutant, pair] : mask_mutants()) {
    // With p = 4 the wrong dimension n + p is twice the right one; the other mutants show best
    // where the upper bound is nearly attained, at small p.
    const std::int64_t columns = mutant == MaskMutant::DegreesUpsideDown ? 4 : 2;
    const MaskAudit request{12, columns, {1.0, 0.05}};
    const AuditResult result = attack(request, pair, mutant);
    EXPECT_TRUE(result.refuted()) << result.name << ' ' << result.lower_bound << " claimed "
                                  << result.claimed;
  }
}

}  // namespace
}  // namespace eigenveil::test::mask_audit_test
