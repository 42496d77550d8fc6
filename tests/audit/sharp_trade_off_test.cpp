// The asymptotic mu of sharp against draws.
#include "audit/sharp_trade_off.hpp"

#include <gtest/gtest.h>

#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::exponential_audit_test {
namespace {

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
