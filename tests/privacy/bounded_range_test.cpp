// What a bounded range of the privacy loss is worth: mu(epsilon/2) and epsilon²/8, on pairs of laws
// that are enumerated, with twins that a little less would not cover.
#include "privacy/bounded_range.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "eigenveil/privacy/conversion.hpp"
#include "random/normal.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::bounded_range_test {
namespace {

double normal_quantile(double probability) {
  return quantile(boost::math::normal{}, probability);
}

/// A pair on finitely many outputs.
struct Pair {
  std::vector<double> first;
  std::vector<double> second;
};

/// Score moves in [0, range], on an arbitrary base law: a draw with density exp(score).
Pair random_draw(RandomStream& stream, double range, int outputs) {
  Pair pair;
  for (int i = 0; i < outputs; ++i) {
    const double base = -std::log(uniform(stream));
    double moved = range * uniform(stream);
    if (i < 2) {
      moved = i == 0 ? 0.0 : range;  // the range is used
    }
    // The ends of the interval often carry nearly all of the mass: there the loss is largest.
    pair.second.push_back(i < 2 ? base * std::pow(uniform(stream), -2.0) : base);
    pair.first.push_back(pair.second.back() * std::exp(moved));
  }
  for (std::vector<double>* law : {&pair.first, &pair.second}) {
    const double sum = std::accumulate(law->begin(), law->end(), 0.0);
    std::for_each(law->begin(), law->end(), [&](double& mass) { mass /= sum; });
  }
  return pair;
}

/// The smallest mu that covers a pair: a vertex of its trade-off polygon on G_mu.
double mu_needed(const Pair& pair) {
  std::vector<std::size_t> order(pair.first.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return pair.first[a] * pair.second[b] > pair.first[b] * pair.second[a];
  });
  double false_alarm = 0.0;
  double power = 0.0;
  double mu = 0.0;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    false_alarm += pair.second[order[i]];
    power += pair.first[order[i]];
    if (false_alarm > 1e-14 && power < 1.0 - 1e-14) {
      mu = std::max(mu, normal_quantile(power) - normal_quantile(false_alarm));
    }
  }
  return mu;
}

double renyi_needed(const Pair& pair, double order) {
  double sum = 0.0;
  for (std::size_t i = 0; i < pair.first.size(); ++i) {
    sum += std::pow(pair.first[i], order) * std::pow(pair.second[i], 1.0 - order);
  }
  return std::log(sum) / (order - 1.0);
}

TEST(BoundedRange, CoversEveryPairOfThatRangeAndIsAttained) {
  RandomStream stream = RandomStream::seeded(seed_for("bounded range pairs"));
  for (const double range : {0.05, 0.5, 1.0, 2.0, 5.0, 12.0}) {
    const double mu = bounded_range_gdp(range).mu;
    const double rho = bounded_range_zcdp(range).rho;
    for (int trial = 0; trial < 4000; ++trial) {
      const Pair pair = random_draw(stream, range, 2 + trial % 4);
      EXPECT_LE(mu_needed(pair), mu * (1.0 + 1e-9)) << range;
      for (const double order : {1.01, 2.0, 8.0}) {
        EXPECT_LE(renyi_needed(pair, order), order * rho * (1.0 + 1e-9) + 1e-12) << range;
      }
    }
    // Randomised response with half the loss is a draw of this range: nothing smaller covers it.
    const double right = 1.0 / (1.0 + std::exp(-range / 2.0));
    const Pair response{{right, 1.0 - right}, {1.0 - right, right}};
    EXPECT_NEAR(mu_needed(response), mu, 1e-9 * mu);
    // Twins: 1% less does not cover it, and a pair that is no more than pure needs more.
    EXPECT_GT(mu_needed(response), 0.99 * mu);
    const double pure = 1.0 / (1.0 + std::exp(-range));
    EXPECT_GT(mu_needed({{pure, 1.0 - pure}, {1.0 - pure, pure}}), mu);
  }
}

/// The two-point pairs of a range: odds that differ by the range, anywhere. The middle is worst.
TEST(BoundedRange, TheMiddleOfTheIntervalIsWorst) {
  const auto logistic = [](double z) { return 1.0 / (1.0 + std::exp(-z)); };
  for (const double range : {0.1, 1.0, 4.0, 10.0}) {
    double before = bounded_range_gdp(range).mu * (1.0 + 1e-12);
    for (double centre = 0.0; centre < 15.0; centre += 0.05) {
      // By the tail, which stays accurate.
      const double mu = normal_quantile(logistic(range / 2.0 - centre)) -
                        normal_quantile(logistic(-range / 2.0 - centre));
      EXPECT_LE(mu, before + 1e-9) << range << " " << centre;
      before = mu;
    }
  }
}

TEST(BoundedRange, BudgetsBuyTheLargestRange) {
  for (const double mu : {0.01, 1.0, 6.0}) {
    const double range = range_for(GaussianDp{mu});
    EXPECT_LE(bounded_range_gdp(range).mu, mu);
    EXPECT_GT(bounded_range_gdp(range * (1.0 + 1e-12)).mu, mu);
    EXPECT_NEAR(range, 2.0 * pure_budget(GaussianDp{mu})->epsilon, 1e-12 * range);
  }
  EXPECT_LE(bounded_range_zcdp(range_for(Zcdp{0.1})).rho, 0.1);
  EXPECT_NEAR(range_for(Zcdp{0.1}), std::sqrt(0.8), 1e-12);
}

/// docs/proofs/bounded_range.md: what a draw gives to its blur pays for it, for every range.
TEST(BoundedRange, TheShareOfTheBlurCoversIt) {
  constexpr double kShare = 0x1p-10;
  for (double range = 1e-6; range < 1400.0; range *= 1.3) {
    const double draw = bounded_range_gdp((1.0 - kShare) * range).mu;
    const double blur = pure_gdp(kShare * range).mu;
    EXPECT_LT(std::hypot(draw, blur), bounded_range_gdp(range).mu) << range;
    EXPECT_LT(std::pow((1.0 - kShare) * range, 2) / 8.0 + std::pow(kShare * range, 2) / 2.0,
              range * range / 8.0);
  }
}

}  // namespace
}  // namespace eigenveil::test::bounded_range_test
