// What an audit reports: from two tables, and from the law of one.
#include <gtest/gtest.h>

#include <cmath>

#include "audit/audits.hpp"
#include "core/distributions.hpp"
#include "random/normal.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test {
namespace {

TEST(Audit, DoesNotDependOnThreads) {
  const AuditedMethod method = *find_audit("gauss");
  const Attack attack = (*method.attacks(default_request(method)))[0];
  const auto bound = [&](int threads) {
    RandomStream stream = RandomStream::seeded(seed_for("audit.threads"));
    return audit(attack.attack, {20'000, 1e-3, threads}, stream).lower_bound;
  };
  EXPECT_EQ(bound(1), bound(3));
}

/// An event of probability p / (1 + p) that claims p = 1: the bound stays below the truth, and
/// comes within a tenth of it.
AuditCase odds(double truth) {
  AuditCase made;
  made.name = "odds";
  made.claim = PureDp{1.0};
  made.statistic_on_first = [truth](RandomStream& stream) {
    return uniform(stream) < truth / (1.0 + truth) ? 1.0 : 0.0;
  };
  made.rule = AuditRule{0.5, 1.0, false};
  made.law = [](double factor) { return factor / (1.0 + factor); };
  made.exact = ExactTest{truth / (1.0 + truth), 1.0};
  return made;
}

TEST(Audit, ReadsALossFromTheLawOfOneTable) {
  const double alpha = alpha_of("audit: law of one table") / 2.0;
  RandomStream stream = RandomStream::seeded(seed_for("audit.law"));
  const AuditResult honest = audit(odds(1.0), {100'000, alpha, 2}, stream);
  EXPECT_FALSE(honest.refuted());
  EXPECT_LE(honest.lower_bound, 1.0);
  EXPECT_GT(honest.lower_bound, 0.9);
  const AuditResult broken = audit(odds(1.2), {100'000, alpha, 2}, stream);
  EXPECT_TRUE(broken.refuted());
  EXPECT_LE(broken.lower_bound, 1.2);
  EXPECT_GT(broken.lower_bound, 1.0);
}

TEST(Audit, KnowsHowManyRunsAMutantNeeds) {
  const AuditSettings most{1U << 22U, 1e-3, 1};
  EXPECT_EQ(runs_to_refute(odds(1.0), most, 1e-3), 0U) << "an honest claim is never refuted";
  const std::uint64_t few = runs_to_refute(odds(2.0), most, 1e-3);
  const std::uint64_t many = runs_to_refute(odds(1.02), most, 1e-3);
  EXPECT_GT(few, 0U);
  EXPECT_GT(many, few);
}

/// A curve has no number: what counts is the power beyond what it allows, not the power, which is
/// largest where nearly everything is announced.
TEST(Audit, FindsTheThresholdOfACurve) {
  const double alpha = alpha_of("audit: curves") / 2.0;
  const auto normals = [](double mu) {
    AuditCase made;
    made.name = "normals";
    made.claim = Zcdp{0.5};
    made.statistic_on_first = [mu](RandomStream& stream) {
      return mu + normal_quantile(uniform(stream));
    };
    made.statistic_on_second = [](RandomStream& stream) {
      return normal_quantile(uniform(stream));
    };
    return made;
  };
  RandomStream stream = RandomStream::seeded(seed_for("audit.curves"));
  EXPECT_FALSE(audit(normals(1.0), {40'000, alpha, 2}, stream).refuted());
  EXPECT_TRUE(audit(normals(1.5), {40'000, alpha, 2}, stream).refuted()) << "rho 1.125 for 0.5";
  // Broken twin: the threshold with the largest power.
  AuditCase twin = normals(1.5);
  twin.rule = AuditRule{-2.5, 1.0, false};
  EXPECT_FALSE(audit(twin, {40'000, alpha, 2}, stream).refuted());
}

/// The pair of the referees: one row that the model would not draw, within the clip radius.
TEST(Audit, AModelGuaranteeDoesNotCoverEveryRow) {
  const AuditedMethod method = *find_audit("spiked");
  const std::vector<Attack> attacks = *method.attacks(default_request(method));
  const Attack& outside = attacks.back();
  ASSERT_EQ(outside.kind, AttackKind::Outside);
  RandomStream stream = RandomStream::seeded(seed_for("audit.outside"));
  const AuditResult result =
      audit(outside.attack, {10'000, alpha_of("audit: outside the model"), 2}, stream);
  EXPECT_GT(result.lower_bound, 5.0 * result.claimed);
}

}  // namespace
}  // namespace eigenveil::test
