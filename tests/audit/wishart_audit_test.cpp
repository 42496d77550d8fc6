// wishart with a private mean: the extended row under every relation, with the mutants that its
// proof page warns of, the smaller scale of a zeroed row among them.
#include <gtest/gtest.h>

#include <algorithm>

#include "audit/audits.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::wishart_audit_test {
namespace {

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
          audit(one.attack, {shipped ? 20'000 : method.runs, error, 2}, stream);
      trap = trap || result.name.find("R^2 + t^2") != std::string::npos;
      EXPECT_EQ(result.refuted(), !shipped)
          << name_of(relation) << ", " << result.name << ' ' << result.lower_bound;
    }
    EXPECT_EQ(trap, relation == Relation::ZeroRow);
  }
}

}  // namespace
}  // namespace eigenveil::test::wishart_audit_test
