// wishart with a private mean: the extended row under every relation, with the mutants that its
// proof page warns of, the smaller scale of a zeroed row among them.
#include <gtest/gtest.h>

#include <algorithm>

#include "audit/audits.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::wishart_audit_test {
namespace {

/// Enough to refute a mutant of known law, else the default.
std::uint64_t runs_for(const Attack& mutant) {
  constexpr int kMutants = 30;  // at most, in the three relations together
  const double miss = alpha_of("audit: power with a mean") / kMutants;
  const std::uint64_t most = find_audit("wishart")->runs;
  const std::uint64_t known = runs_to_refute(mutant.attack, {most, kAttackError, 2}, miss);
  return known > 0 ? known : most;
}

TEST(WishartAudit, ThePrivateMeanStandsAndItsMutantsFall) {
  const AuditedMethod method = *find_audit("wishart");
  RandomStream stream = RandomStream::seeded(seed_for("audit.wishart"));
  for (const Relation relation : method.relations) {
    AuditRequest request = default_request(method);
    request.setting.relation = relation;
    request.private_mean = true;
    request.mutants = true;
    bool trap = false;
    const auto attacks = method.attacks(request);  // a temporary would be gone before the loop
    for (const Attack& one : *attacks) {
      const bool shipped = one.kind == AttackKind::Shipped;
      const double error = shipped ? alpha_of("audit: wishart with a mean") / 6.0 : kAttackError;
      const AuditResult result =
          audit(one.attack, {shipped ? 5'000 : runs_for(one), error, 2}, stream);
      trap = trap || result.name.find("R^2 + t^2") != std::string::npos;
      EXPECT_EQ(result.refuted(), !shipped)
          << name_of(relation) << ", " << result.name << ' ' << result.lower_bound;
    }
    EXPECT_EQ(trap, relation == Relation::ZeroRow);
  }
}

}  // namespace
}  // namespace eigenveil::test::wishart_audit_test
