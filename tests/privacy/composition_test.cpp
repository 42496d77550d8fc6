#include "eigenveil/privacy/composition.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "eigenveil/privacy/conversion.hpp"
#include "finite_pairs.hpp"
#include "privacy/privacy_loss_distribution.hpp"

namespace eigenveil::test::composition_test {
namespace {

using test::FinitePair;
using test::kEnumerationError;

Guarantee proved(const Loss& loss) {
  return {Relation::AddRemove, loss, Basis::Proved, {}, true};
}

FinitePair randomised_response(double epsilon) {
  const double p = 1.0 / (1.0 + std::exp(-epsilon));
  const double q = 1.0 / (1.0 + std::exp(epsilon));
  return {{p, q}, {q, p}};
}

TEST(Compose, EqualKindsAddInClosedForm) {
  const auto loss = [](const Loss& a, const Loss& b) {
    return compose(proved(a), proved(b)).value().loss;
  };
  EXPECT_EQ(std::get<PureDp>(loss(PureDp{0.5}, PureDp{0.25})).epsilon, 0.75);
  EXPECT_GE(std::get<PureDp>(loss(PureDp{0.1}, PureDp{0.2})).epsilon, 0.1 + 0.2);
  EXPECT_EQ(std::get<GaussianDp>(loss(GaussianDp{3.0}, GaussianDp{4.0})).mu, 5.0);
  EXPECT_EQ(std::get<Zcdp>(loss(Zcdp{0.5}, Zcdp{0.25})).rho, 0.75);
  EXPECT_EQ(std::get<Zcdp>(loss(Zcdp{0.5}, GaussianDp{1.0})).rho, 1.0);
  const auto approx = std::get<ApproxDp>(loss(ApproxDp{0.5, 0.25}, PureDp{1.0}));
  EXPECT_EQ(approx.epsilon, 1.5);
  EXPECT_EQ(approx.delta, 0.25);
  const auto renyi = std::get<RenyiCurve>(
      loss(RenyiCurve{{2.0, 4.0}, {1.0, 2.0}}, RenyiCurve{{2.0, 3.0}, {0.5, 0.5}}));
  EXPECT_EQ(renyi.orders, (std::vector<double>{2.0, 3.0}));
  EXPECT_EQ(renyi.divergences.front(), 1.5);
}

TEST(Compose, WeakerKindsNeverTurnIntoStrongerOnes) {
  Guarantee worst_case = proved(PureDp{1.0});
  worst_case.assumptions = {"row count public", "bound promised by caller"};
  Guarantee asymptotic = proved(PureDp{1.0});
  asymptotic.basis = Basis::Asymptotic;
  asymptotic.assumptions = {"bound promised by caller", "spectrum has a gap"};
  asymptotic.secure_random = false;
  const Guarantee both = compose(worst_case, asymptotic).value();
  EXPECT_EQ(both.basis, Basis::Asymptotic);
  EXPECT_FALSE(both.secure_random);
  EXPECT_EQ(both.assumptions,
            (std::vector<std::string>{"row count public", "bound promised by caller",
                                      "spectrum has a gap"}));
}

TEST(Compose, DifferentRelationsAreRefused) {
  Guarantee replaced = proved(PureDp{1.0});
  replaced.relation = Relation::ReplaceOne;
  const auto refused = compose(proved(PureDp{1.0}), replaced);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("convert"), std::string::npos);
  const Guarantee converted = to_relation(proved(PureDp{1.0}), Relation::ReplaceOne).value();
  EXPECT_EQ(std::get<PureDp>(compose(converted, replaced)->loss).epsilon, 3.0);
  EXPECT_FALSE(to_relation(replaced, Relation::AddRemove));
  replaced.relation = Relation::IndependentCopy;
  EXPECT_FALSE(to_replace_one(replaced));
}

TEST(Compose, DisjointPartsTakeTheMaximum) {
  std::vector<Guarantee> parts = {proved(PureDp{1.0}), proved(PureDp{2.0})};
  EXPECT_EQ(std::get<PureDp>(compose_parallel(parts, Partition::DecidedByRow)->loss).epsilon, 2.0);
  parts[0].relation = parts[1].relation = Relation::ReplaceOne;
  EXPECT_FALSE(compose_parallel(parts, Partition::DecidedByRow));
  EXPECT_TRUE(compose_parallel(parts, Partition::FixedAndPublic));
  std::vector<Guarantee> groups = parts;
  for (Guarantee& group : groups) {
    group.group_size = 2;
  }
  EXPECT_FALSE(compose_parallel(groups, Partition::FixedAndPublic));
  const std::vector<Guarantee> mixed = {proved(PureDp{1.0}), proved(GaussianDp{0.5})};
  const Loss largest = compose_parallel(mixed, Partition::DecidedByRow)->loss;
  for (const double epsilon : {0.0, 0.3, 0.9, 1.5, 4.0}) {
    EXPECT_GE(delta_at(largest, epsilon), delta_at(PureDp{1.0}, epsilon));
    EXPECT_GE(delta_at(largest, epsilon), delta_at(GaussianDp{0.5}, epsilon));
  }
}

/// Two answers of randomised response composed by every route, against all four outputs.
TEST(Compose, EveryRouteCoversTheEnumeratedProduct) {
  const FinitePair pair = test::product(randomised_response(0.5), randomised_response(0.75));
  const double rho = pure_zcdp(0.5).rho;
  const TradeOffCurve curve = PrivacyLossDistribution::of(PureDp{0.75}, 0x1p-6)->trade_off_curve();
  const std::vector<std::vector<Loss>> routes = {
      {PureDp{0.5}, PureDp{0.75}},
      {Zcdp{rho}, PureDp{0.75}},
      {PureDp{0.5}, curve},
      {Zcdp{rho}, curve},
      {ApproxDp{0.5, 0.0}, PureDp{0.75}},
      {pure_gdp(0.5), PureDp{0.75}},
  };
  for (const auto& route : routes) {
    const Loss loss = compose_losses(route).value();
    for (const double epsilon : {0.0, 0.1, 0.25, 0.7, 1.0, 1.2}) {
      EXPECT_GE(delta_at(loss, epsilon), test::true_delta(pair, epsilon) * (1 - kEnumerationError));
    }
    for (const double a : {1e-6, 0.05, 0.4, 0.8}) {
      EXPECT_LE(trade_off(loss, a), test::true_trade_off(pair, a) + kEnumerationError);
    }
  }
}

/// Rounding up a Gaussian loss to a grid of step h moves it by at most h, and connecting the dots
/// moves it less: the composed delta lies between the true value and delta at epsilon - 2h.
TEST(LossDistribution, GaussiansComposeWithinTheCertifiedGap) {
  constexpr double kStep = 0x1p-6;
  const auto first = PrivacyLossDistribution::of(GaussianDp{0.6}, kStep).value();
  const auto second = PrivacyLossDistribution::of(GaussianDp{0.8}, kStep).value();
  const auto both = first.compose(second).value();
  for (const double epsilon : {0.1, 0.5, 1.0, 2.0, 4.0, 6.0}) {
    const double exact = delta_at(GaussianDp{1.0}, epsilon);
    EXPECT_GE(both.delta_at(epsilon), exact);
    EXPECT_LE(both.delta_at(epsilon), delta_at(GaussianDp{1.0}, epsilon - 2 * kStep));
  }
  for (const double delta : {1e-9, 1e-6, 1e-3}) {
    EXPECT_GE(both.epsilon_at(delta), epsilon_at(GaussianDp{1.0}, delta) * (1 - 1e-14));
  }
  const TradeOffCurve curve = both.trade_off_curve();
  for (const double a : {0.0, 1e-9, 0.001, 0.05, 0.5, 0.95, 1.0}) {
    EXPECT_LE(trade_off(curve, a), trade_off(GaussianDp{1.0}, a) + 0x1p-52);
  }
  EXPECT_GE(trade_off(curve, 0.05), trade_off(GaussianDp{1.0}, 0.05) - 1e-3);
}

/// The broken twin: the same grid with losses rounded down, as a plain histogram would have it.
TEST(LossDistribution, RoundingLossesDownFallsBelowTheExactValue) {
  constexpr double kStep = 0x1p-4;
  const auto twin = [&](double mu, int shift) {
    const auto cdf = [&](double loss) {
      return 0.5 * std::erfc(-(loss - mu * mu / 2) / (mu * std::sqrt(2.0)));
    };
    std::vector<double> masses;
    for (int k = -200; k < 200; ++k) {
      masses.push_back(cdf((k + 1) * kStep) - cdf(k * kStep));
    }
    return PrivacyLossDistribution::from_masses(kStep, -200 + shift, masses, 0.0).value();
  };
  const double exact = delta_at(GaussianDp{1.0}, 1.0);
  EXPECT_LT(twin(0.6, 0).compose(twin(0.8, 0))->delta_at(1.0), exact);
  EXPECT_GT(twin(0.6, 1).compose(twin(0.8, 1))->delta_at(1.0), exact);
}

/// k answers of randomised response: the loss is (2J - k) epsilon with J binomial.
TEST(LossDistribution, RepeatedRandomisedResponseIsBinomial) {
  constexpr int kCount = 50;
  constexpr double kEpsilon = 0.25;
  const auto one = PrivacyLossDistribution::of(PureDp{kEpsilon}, 0x1p-4).value();
  const auto all = one.compose_with_itself(kCount).value();
  for (const double epsilon : {0.0, 0.6, 2.0, 5.0, 9.0, 12.3}) {
    long double exact = 0.0L;
    const long double p = 1.0L / (1.0L + std::exp(-static_cast<long double>(kEpsilon)));
    for (int j = 0; j <= kCount; ++j) {
      const long double loss = (2 * j - kCount) * static_cast<long double>(kEpsilon);
      const long double mass = std::exp(std::lgamma(kCount + 1.0L) - std::lgamma(j + 1.0L) -
                                        std::lgamma(kCount - j + 1.0L) + j * std::log(p) +
                                        (kCount - j) * std::log1p(-p));
      exact += mass * std::max(0.0L, -std::expm1(epsilon - loss));
    }
    const auto reference = static_cast<double>(exact);
    EXPECT_GE(all.delta_at(epsilon), reference * (1 - kEnumerationError)) << epsilon;
    // Tails cut at 1e-24, and masses that grow by 2^-52 per term of each convolution.
    EXPECT_LE(all.delta_at(epsilon), reference * (1 + 1e-9) + 1e-20) << epsilon;
    EXPECT_LE(all.delta_at(epsilon), delta_at(PureDp{kCount * kEpsilon}, epsilon));
  }
}

TEST(LossDistribution, BadRequestsAreRefused) {
  EXPECT_FALSE(PrivacyLossDistribution::of(PureDp{1.0}, 0.1));
  EXPECT_FALSE(PrivacyLossDistribution::of(PureDp{1e3}, 0x1p-20));
  EXPECT_FALSE(PrivacyLossDistribution::from_masses(0.5, 0, {1.5}, 0.0));
  const auto coarse = PrivacyLossDistribution::of(PureDp{1.0}, 0.5).value();
  const auto fine = PrivacyLossDistribution::of(PureDp{1.0}, 0.25).value();
  EXPECT_FALSE(coarse.compose(fine));
  EXPECT_FALSE(coarse.compose_with_itself(0));
}

}  // namespace
}  // namespace eigenveil::test::composition_test
