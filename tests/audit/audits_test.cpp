// Every method under attack, in every relation, unit and group of the list that program and Python
// package show: what ships stands, what is broken falls unless the list says why it cannot.
#include "audit/audits.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "audit/drawn_cases.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test {
namespace {

constexpr int kShippedAttacks = 400;  ///< at most: they share one false-alarm rate
constexpr std::uint64_t kShippedRuns = 5000;
constexpr AuditSettings kMost{std::uint64_t{1} << 26U, kAttackError, 2};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const AuditedMethod& method : audited_methods()) {
    all.push_back(method.name);
  }
  return all;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& method) {
  std::string name = method.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class Audits : public ::testing::TestWithParam<std::string> {
 protected:
  AuditedMethod method_ = *find_audit(GetParam());

  std::vector<Attack> attacks(const AttackSetting& setting) const {
    AuditRequest request = default_request(method_);
    request.setting = setting;
    request.mutants = true;
    return *method_.attacks(request);
  }
  /// Enough to refute a mutant of known law, no more than the default; that where none is known.
  std::uint64_t runs_for(const Attack& mutant) const {
    const double miss = alpha_of("audit: mutant power") / kShippedAttacks;
    const std::uint64_t known = runs_to_refute(mutant.attack, kMost, miss);
    const std::uint64_t all = mutant.most_runs > 0 ? mutant.most_runs : method_.runs;
    return known > 0 ? std::min(known, all) : all;
  }
};

TEST_P(Audits, ShippedClaimsStand) {
  RandomStream stream = RandomStream::seeded(seed_for("audit.shipped"));
  const double error = alpha_of("audit: shipped claims") / kShippedAttacks;
  for (const AttackSetting& setting : method_.settings()) {
    for (const Attack& one : attacks(setting)) {
      if (one.kind == AttackKind::Shipped) {
        const AuditResult result = audit(one.attack, {kShippedRuns, error, 2}, stream);
        EXPECT_FALSE(result.refuted())
            << describe(setting) << ", " << result.name << ' ' << result.lower_bound;
      }
    }
  }
}

/// In the last setting, which has a group and a unit that is not 1.
TEST_P(Audits, MutantsWithinReachFallAtTheDefaultNumberOfRuns) {
  RandomStream stream = RandomStream::seeded(seed_for("audit.mutants"));
  const AttackSetting setting = method_.settings().back();
  for (const Attack& one : attacks(setting)) {
    if (one.kind == AttackKind::Mutant && one.out_of_reach.empty()) {
      const AuditResult result = audit(one.attack, {runs_for(one), kAttackError, 2}, stream);
      EXPECT_TRUE(result.refuted())
          << describe(setting) << ", " << result.name << ' ' << result.lower_bound;
    }
  }
}

/// Elsewhere by their law, where it is known, at no cost.
TEST_P(Audits, TheDefaultNumberOfRunsIsEnough) {
  for (const AttackSetting& setting : method_.settings()) {
    for (const Attack& one : attacks(setting)) {
      if (one.kind == AttackKind::Mutant && one.out_of_reach.empty() && one.attack.exact) {
        const std::uint64_t needed = runs_to_refute(one.attack, kMost, kAttackError);
        EXPECT_GT(needed, 0U) << describe(setting) << ", " << one.attack.name;
        EXPECT_LE(needed, 2 * method_.runs) << describe(setting) << ", " << one.attack.name;
      }
    }
  }
}

/// Draws at rho, in one setting: the law of exponent and noise, and pairs of tables, whose mutants
/// have the default number of runs.
TEST(AuditsAtRho, ClaimsStandAndMutantsFall) {
  RandomStream stream = RandomStream::seeded(seed_for("audit.rho"));
  for (const char* name : {"exponential", "orbit"}) {
    AuditRequest request = default_request(*find_audit(name));
    request.budget = Zcdp{1.0};
    request.mutants = true;
    const std::vector<Attack> attacks = *drawn_attacks(name, request);
    for (const Attack& one : attacks) {
      const bool mutant = one.kind == AttackKind::Mutant;
      const double error =
          mutant ? kAttackError : alpha_of("audit: shipped claims") / kShippedAttacks;
      const std::uint64_t runs =
          !mutant ? kShippedRuns
          : one.attack.exact
              ? runs_to_refute(one.attack, kMost, alpha_of("audit: mutant power") / kShippedAttacks)
              : find_audit(name)->runs;
      ASSERT_GT(runs, 0U) << one.attack.name;
      EXPECT_EQ(audit(one.attack, {runs, error, 2}, stream).refuted(), mutant)
          << name << ": " << one.attack.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Audits, ::testing::ValuesIn(names()), test_name);

}  // namespace
}  // namespace eigenveil::test
