// Subspace learning under attack: shipped steps stand, every mutant is refuted.
#include <gtest/gtest.h>

#include "audit/subspace_learning_cases.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::subspace_learning_audit_test {
namespace {

constexpr ApproxDp kBudget{2.0, 0.05};
constexpr int kHonest = 4;

TEST(SubspaceLearningAttack, ShippedStepsStandAndMutantsFall) {
  const auto families = *subspace_attacks(kBudget, true);
  ASSERT_EQ(families.size(), std::size_t{kHonest});
  const AuditSettings settings{20'000, alpha_of("audit: subspace honest claim") / kHonest, 2};
  for (const SubspaceAttacks& family : families) {
    for (std::size_t i = 0; i < family.cases.size(); ++i) {
      RandomStream stream = RandomStream::seeded(seed_for("audit.subspace"));
      const AuditResult result = audit(family.cases[i], settings, stream);
      EXPECT_EQ(result.refuted(), i > 0)
          << family.name << ": " << result.name << " " << result.lower_bound;
    }
  }
}

TEST(SubspaceLearningAttack, TheGapRuleIsTight) {
  AuditCase gap = (*subspace_attacks(kBudget, false))[0].cases[0];
  gap.claim = ApproxDp{0.7 * kBudget.epsilon, kBudget.delta};
  RandomStream stream = RandomStream::seeded(seed_for("audit.subspace.tight"));
  EXPECT_TRUE(audit(gap, {40'000, alpha_of("audit: subspace honest claim"), 2}, stream).refuted());
}

}  // namespace
}  // namespace eigenveil::test::subspace_learning_audit_test
