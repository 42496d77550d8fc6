// Attacks on the parts of spiked, spiked-robust and oja: claims stand, mutants fall.
#include <gtest/gtest.h>

#include "audit/subspace_cases.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::subspace_audit_test {
namespace {

constexpr int kAttacks = 6;

std::vector<SubspaceAudit> audited() {
  const ApproxDp budget{20.0, 1e-3};  // a large budget shows mutants in few runs
  return {{SubspacePart::RobustGap, budget, Relation::AddRemove},
          {SubspacePart::RobustGap, budget, Relation::ReplaceOne},
          {SubspacePart::RobustProjector, budget, Relation::AddRemove},
          {SubspacePart::RobustProjector, budget, Relation::ReplaceOne},
          {SubspacePart::OjaBatch, budget, Relation::ZeroRow},
          {SubspacePart::SpikedProjector, budget, Relation::IndependentCopy}};
}

AuditResult attack(const SubspaceAudit& request, SubspaceMutant mutant) {
  RandomStream stream = RandomStream::seeded(seed_for("audit.subspace"));
  const std::uint64_t runs = request.part == SubspacePart::RobustGap ? 40'000 : 60'000;
  return audit(*subspace_case(request, mutant),
               {runs, alpha_of("spiked: honest claims") / kAttacks, 2}, stream);
}

TEST(SubspaceAttack, ClaimsStand) {
  for (const SubspaceAudit& request : audited()) {
    const AuditResult result = attack(request, SubspaceMutant::None);
    EXPECT_FALSE(result.refuted()) << result.name << " " << result.lower_bound;
    EXPECT_GT(result.lower_bound, 0.85 * result.claimed) << result.name;  // tight pairs
  }
}

TEST(SubspaceAttack, MutantsFall) {
  for (const SubspaceAudit& request : audited()) {
    for (const SubspaceMutant mutant : subspace_mutants(request)) {
      const AuditResult result = attack(request, mutant);
      EXPECT_TRUE(result.refuted()) << result.name << " " << result.lower_bound;
    }
  }
}

}  // namespace
}  // namespace eigenveil::test::subspace_audit_test
