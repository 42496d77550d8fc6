// The exponential mechanism under attack, and the asymptotic mu against draws.
#include <gtest/gtest.h>

#include "audit/exponential_cases.hpp"
#include "audit/sharp_trade_off.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::exponential_audit_test {
namespace {

constexpr double kEpsilon = 3.0;

class ExponentialAttack : public ::testing::TestWithParam<Relation> {};

AuditResult attack(Relation relation, ExponentialMutant mutant, double error) {
  // A replaced row shows only where a direction is rarer.
  const std::uint64_t runs = relation == Relation::ReplaceOne ? 800'000 : 240'000;
  RandomStream stream = RandomStream::seeded(seed_for("audit.exponential"));
  return audit(*exponential_case({PureDp{kEpsilon}, relation}, mutant), {runs, error, 2}, stream);
}

TEST_P(ExponentialAttack, TheClaimStandsAndMutantsFall) {
  const double error = alpha_of("audit: exponential claim") / 3.0;
  const AuditResult honest = attack(GetParam(), ExponentialMutant::None, error);
  EXPECT_FALSE(honest.refuted()) << honest.lower_bound;
  EXPECT_GT(honest.lower_bound, 0.5 * kEpsilon) << "an audit that measures little proves little";
  for (const ExponentialMutant mutant : exponential_mutants({PureDp{kEpsilon}, GetParam()})) {
    const AuditResult result = attack(GetParam(), mutant, 1e-3);
    EXPECT_TRUE(result.refuted()) << result.name << ": " << result.lower_bound;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryRelation, ExponentialAttack,
                         ::testing::Values(Relation::AddRemove, Relation::ReplaceOne,
                                           Relation::ZeroRow));

/// (8, 4, bulk) at p = 200, n = 2504: the measured curve lies within 0.05 of the asymptotic one, as
/// far as the draws can tell, and a curve of another mu does not.
TEST(SharpTradeOff, FollowsTheAsymptoticCurve) {
  constexpr double kBar = 0.05;  // the product's own bar for this setting
  Vector spectrum = Vector::LinSpaced(200, 1.0, 0.2);
  spectrum.head(2) << 8.0, 4.0;
  const SharpPrivacy sharp = *SharpPrivacy::make(spectrum, 2504.0, 1);
  const std::vector<double> levels{0.05, 0.1, 0.2, 0.3, 0.5};
  RandomStream stream = RandomStream::seeded(seed_for("audit.sharp"));
  const double error = alpha_of("audit: sharp trade-off") / static_cast<double>(levels.size());
  const SharpTradeOff measured =
      *sharp_trade_off(spectrum, 2504.0, 1, *sharp.beta(1.0), levels, 20'000, error, stream);
  EXPECT_NEAR(measured.mu, 1.0, 1e-9);
  for (const TradeOffPoint& point : measured.points) {
    EXPECT_LT(point.low - kBar, point.predicted) << point.type_one;
    EXPECT_GT(point.high + kBar, point.predicted) << point.type_one;
    EXPECT_GE(point.type_two, point.low);
    EXPECT_LE(point.type_two, point.high);
  }
  // The twin: beta for mu = 2 measured, mu = 1 expected.
  const SharpTradeOff wrong =
      *sharp_trade_off(spectrum, 2504.0, 1, *sharp.beta(2.0), levels, 20'000, error, stream);
  EXPECT_LT(wrong.points[2].high + kBar, measured.points[2].predicted);
}

TEST(SharpTradeOff, SaysNothingBelowTheTransition) {
  Vector spectrum = Vector::LinSpaced(50, 1.0, 0.2);
  spectrum[0] = 5.0;
  RandomStream stream = RandomStream::seeded(1);
  EXPECT_FALSE(sharp_trade_off(spectrum, 500.0, 1, 0.01, {0.1}, 100, 1e-3, stream));
}

}  // namespace
}  // namespace eigenveil::test::exponential_audit_test
