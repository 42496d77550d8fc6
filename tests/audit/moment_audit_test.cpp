// The adversary in the box: honest mechanisms stand, the bound comes close to a tight claim, and
// every mutant is refuted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "audit/harness.hpp"
#include "audit/moment_cases.hpp"
#include "mechanism/gauss/gauss.hpp"
#include "statistics/gram_support.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::moment_audit_test {
namespace {

/// Attacks of this file that an honest mechanism must survive; they share one false-alarm rate.
constexpr int kHonestAttacks = 9;

/// Pure epsilon shows only where every entry falls beyond its centre, an event of probability 1/8:
/// it takes more runs.
AuditSettings settings(const MomentAudit& request) {
  const std::uint64_t runs = request.method == "gauss" ? 150'000 : 700'000;
  return {runs, alpha_of("audit: honest claim") / kHonestAttacks, 2};
}

AuditResult attack(const MomentAudit& request, MomentMutant mutant, std::string_view test) {
  RandomStream stream = RandomStream::seeded(seed_for(test));
  return audit(*moment_case(request, mutant), settings(request), stream);
}

std::vector<MomentAudit> audited() {
  std::vector<MomentAudit> requests;
  for (const Relation relation : {Relation::AddRemove, Relation::ReplaceOne, Relation::ZeroRow}) {
    requests.push_back({"gauss", 2, GaussianDp{1.5}, relation, Extension::Count});
    requests.push_back({"gauss", 2, GaussianDp{1.5}, relation, Extension::Full});
    requests.push_back({"laplace", 2, PureDp{1.5}, relation, Extension::None});
  }
  return requests;
}

std::string attack_name(const ::testing::TestParamInfo<MomentAudit>& info) {
  std::string name = info.param.method + "_" + std::string(name_of(info.param.relation)) +
                     (info.param.extension == Extension::Full ? "_mean" : "");
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class MomentAttack : public ::testing::TestWithParam<MomentAudit> {};

TEST_P(MomentAttack, TheClaimStandsAndIsTight) {
  const AuditResult result = attack(GetParam(), MomentMutant::None, "audit.honest");
  EXPECT_FALSE(result.refuted()) << result.lower_bound << " against " << result.claimed;
  // A claim that could be 15% smaller would be refuted at this size: the pairs are the worst ones.
  AuditCase smaller = *moment_case(GetParam(), MomentMutant::None);
  if (GetParam().method == "gauss") {
    smaller.claim = GaussianDp{0.85 * 1.5};
  } else {
    smaller.claim = PureDp{0.85 * 1.5};
  }
  RandomStream stream = RandomStream::seeded(seed_for("audit.tight"));
  EXPECT_TRUE(audit(smaller, settings(GetParam()), stream).refuted());
}

TEST_P(MomentAttack, EveryMutantIsRefuted) {
  for (const MomentMutant mutant : moment_mutants(GetParam())) {
    const AuditResult result = attack(GetParam(), mutant, "audit.mutant");
    EXPECT_TRUE(result.refuted()) << result.name << ": " << result.lower_bound;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryRelation, MomentAttack, ::testing::ValuesIn(audited()), attack_name);

/// Two rows of one person are a group: mu doubles. Reading it as two releases (mu in quadrature)
/// is the mutant.
TEST(GroupAttack, CompositionIsNotGroupPrivacy) {
  const RowBound bound = *RowBound::row_norm(1, 1.0);
  const double mu = 0.8;
  const MomentPlan plan =
      *plan_gauss({bound, GaussianDp{mu}, Relation::AddRemove, Extension::None, 1});
  const ExactGram both = gram_of(bound, {1.0, 1.0});
  const ExactGram none = gram_of(bound, {});
  const auto statistic = [&plan](const ExactGram& gram) {
    return [&plan, &gram](RandomStream& stream) {
      return plan.run(gram, stream)->value().products(0, 0);
    };
  };
  const auto refuted = [&](double claimed_mu) {
    RandomStream stream = RandomStream::seeded(seed_for("audit.group"));
    const AuditCase pair{"two rows of one person", GaussianDp{claimed_mu}, statistic(both),
                         statistic(none)};
    return audit(pair, {200'000, alpha_of("audit: mutant power"), 2}, stream).refuted();
  };
  EXPECT_FALSE(refuted(2.0 * mu));
  EXPECT_TRUE(refuted(std::sqrt(2.0) * mu));
}

TEST(Audit, DoesNotDependOnThreads) {
  const MomentAudit request{"gauss", 2, GaussianDp{1.0}, Relation::AddRemove, Extension::Count};
  const auto bound = [&](int threads) {
    RandomStream stream = RandomStream::seeded(seed_for("audit.threads"));
    return audit(*moment_case(request, MomentMutant::None), {20'000, 1e-3, threads}, stream)
        .lower_bound;
  };
  EXPECT_EQ(bound(1), bound(3));
}

}  // namespace
}  // namespace eigenveil::test::moment_audit_test
