// A mechanism on a chain of data sets D, D minus the old row, D plus the new row. All its outputs
// are enumerated, so the true replace-one loss is known and wrong rules can be shown to be wrong.
#include <gtest/gtest.h>

#include <cmath>

#include "eigenveil/privacy/composition.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "finite_pairs.hpp"
#include "privacy/privacy_loss_distribution.hpp"

namespace eigenveil::test::group_test {
namespace {

using test::FinitePair;
using test::kEnumerationError;

/// Two-sided geometric noise on {0, ..., 6}, clamped, around a count: neighbours differ by one in
/// the count, and every add-remove pair is exactly epsilon-DP.
std::vector<double> geometric_around(int count, double epsilon) {
  constexpr int kLast = 6;
  const double ratio = std::exp(-epsilon);
  std::vector<double> law;
  for (int output = 0; output <= kLast; ++output) {
    const double weight = std::pow(ratio, std::abs(output - count)) / (1.0 + ratio);
    law.push_back(output == 0 || output == kLast ? weight : weight * (1.0 - ratio));
  }
  return law;
}

TEST(ReplaceOne, DoublesThePureLossAndNothingLessHolds) {
  constexpr double kEpsilon = 0.5;
  const FinitePair removed{geometric_around(3, kEpsilon), geometric_around(2, kEpsilon)};
  const FinitePair replaced{geometric_around(4, kEpsilon), geometric_around(2, kEpsilon)};
  EXPECT_NEAR(test::true_epsilon(removed), kEpsilon, kEnumerationError);
  const Guarantee claim{Relation::AddRemove, PureDp{kEpsilon}, Basis::Proved, {}, true};
  const Guarantee converted = to_replace_one(claim).value();
  EXPECT_EQ(converted.relation, Relation::ReplaceOne);
  const double epsilon = std::get<PureDp>(converted.loss).epsilon;
  EXPECT_NEAR(test::true_epsilon(replaced), epsilon, kEnumerationError);
  // Mutant: the factor two is missing.
  EXPECT_GT(test::true_epsilon(replaced), kEpsilon * 1.9);
  // Mutant: two releases composed (mu in quadrature) where a group of two is meant.
  const auto composed =
      std::get<GaussianDp>(compose_losses({GaussianDp{1.0}, GaussianDp{1.0}}).value());
  const auto group = std::get<GaussianDp>(group_loss(GaussianDp{1.0}, 2).value());
  EXPECT_LT(composed.mu, group.mu);
}

/// f tensor f instead of f(1 - f): the wrong rule promises more than the enumeration allows.
TEST(ReplaceOne, ComposingCurvesInsteadOfChainingThemIsCaught) {
  constexpr double kEpsilon = 0.5;
  const FinitePair replaced{geometric_around(4, kEpsilon), geometric_around(2, kEpsilon)};
  const auto one = PrivacyLossDistribution::of(PureDp{kEpsilon}, 0x1p-4).value();
  const TradeOffCurve curve = one.trade_off_curve();
  const Loss chained = group_loss(curve, 2).value();
  const Loss mutant = one.compose(one)->trade_off_curve();
  bool caught = false;
  for (double a = 0.01; a < 1.0; a += 0.01) {
    const double truth = test::true_trade_off(replaced, a);
    EXPECT_LE(trade_off(chained, a), truth + kEnumerationError);
    caught = caught || trade_off(mutant, a) > truth + 1e-6;
  }
  EXPECT_TRUE(caught);
  // For a pure curve the chain is max(1 - e^2eps a, ...) at both ends.
  EXPECT_NEAR(trade_off(chained, 0.01), 1.0 - std::exp(2 * kEpsilon) * 0.01, 1e-12);
}

/// (eps, delta) is attained by a mechanism that leaks with probability delta.
TEST(Group, ApproximateLossGrowsGeometrically) {
  const auto group = std::get<ApproxDp>(group_loss(ApproxDp{0.5, 1e-6}, 3).value());
  EXPECT_EQ(group.epsilon, 1.5);
  const double factor = 1.0 + std::exp(0.5) + std::exp(1.0);
  EXPECT_NEAR(group.delta, 1e-6 * factor, 1e-20);
  const auto pair = std::get<ApproxDp>(group_loss(ApproxDp{1.0, 1e-6}, 2).value());
  EXPECT_GE(pair.delta, 1e-6 * (1.0 + std::exp(1.0)));
  EXPECT_EQ(std::get<ApproxDp>(group_loss(ApproxDp{1000.0, 1e-6}, 5).value()).delta, 1.0);
  EXPECT_EQ(std::get<ApproxDp>(group_loss(ApproxDp{1000.0, 0.0}, 5).value()).delta, 0.0);
  EXPECT_EQ(std::get<Zcdp>(group_loss(Zcdp{0.25}, 3).value()).rho, 2.25);
  EXPECT_FALSE(group_loss(PureDp{1.0}, 0));
}

/// The Gaussian curve at orders up to 4096: the chained bound lies above the truth (twice mu), and
/// scaling the divergences by two, the mutant, lies below it.
TEST(Group, RenyiCurvesChainByHoelder) {
  constexpr double kMu = 0.7;
  RenyiCurve curve;
  for (double excess = 0x1p-4; excess <= 0x1p12; excess *= std::sqrt(2.0)) {
    curve.orders.push_back(1.0 + excess);
    curve.divergences.push_back(renyi_divergence(GaussianDp{kMu}, 1.0 + excess));
  }
  const auto group = std::get<RenyiCurve>(group_loss(curve, 2).value());
  for (std::size_t i = 0; i < group.orders.size(); ++i) {
    const double truth = group.orders[i] * kMu * kMu * 2.0;
    EXPECT_GE(group.divergences[i], truth);
    EXPECT_LT(2.0 * renyi_divergence(curve, group.orders[i]), truth);
  }
  EXPECT_GE(group.orders.size(), 20U);
  EXPECT_FALSE(group_loss(RenyiCurve{{2.0}, {1.0}}, 2));
}

}  // namespace
}  // namespace eigenveil::test::group_test
