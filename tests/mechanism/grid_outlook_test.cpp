// The outlook of the grid against closed forms.
#include "mechanism/subspace/grid_outlook.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/alpha_ledger.hpp"

namespace eigenveil::test::grid_outlook_test {
namespace {

using detail::GridOutlook;

constexpr ApproxDp kBudget{1.0, 1e-6};

/// A single group stays with probability E prod Phi(x_i) = exp(-cuts E|z| / 2), z normal (the
/// Laplace functional of a Poisson process): exp(-cuts / sqrt(2 pi)).
TEST(GridOutlook, OneGroupStaysAsOftenAsThePoissonLawSays) {
  const GridOutlook outlook(*StabilityHistogram::make(kBudget), 1, std::vector<double>(100, 2.0));
  // Hoeffding, 1000 simulated runs, five values of `cuts`.
  const double limit =
      std::sqrt(std::log(10.0 / alpha_of("mechanism: grid outlook")) / (2.0 * 1000.0));
  const auto expected = [](double cuts) { return std::exp(-cuts / std::sqrt(2.0 * M_PI)); };
  for (const double cuts : {0.01, 0.1, 0.5, 2.0, 5.0}) {
    EXPECT_NEAR(outlook.at(cuts).one_cell, expected(cuts), limit) << cuts;
  }
  // Broken twin: walls on both sides counted twice.
  EXPECT_GT(std::abs(outlook.at(2.0).one_cell - expected(4.0)), limit);
}

TEST(GridOutlook, MoreCutsMeanFewerAnswers) {
  const StabilityHistogram histogram = *StabilityHistogram::make(kBudget);
  const auto groups = static_cast<std::size_t>(histogram.sure_votes(1) + 20);
  const GridOutlook outlook(histogram, groups, {0.5, 1.0, 1.5, 2.0});
  double before = 1.0;
  for (const double cuts : {1e-6, 0.1, 0.5, 1.0, 4.0, 16.0}) {
    const GridOutlook::Chances chances = outlook.at(cuts);
    EXPECT_LE(chances.answer, before + 1e-12);
    EXPECT_LE(chances.one_cell, chances.answer + 1e-12);
    before = chances.answer;
  }
  EXPECT_GT(outlook.at(1e-6).answer, 0.999);
  EXPECT_LT(before, 0.01);
  EXPECT_NEAR(outlook.at(outlook.largest_cuts(0.9)).answer, 0.9, 0.005);
}

TEST(StabilityHistogram, ChanceToPassIsThatOfItsNoise) {
  const StabilityHistogram histogram = *StabilityHistogram::make(kBudget);
  const std::int64_t sure = histogram.sure_votes(100);
  EXPECT_NEAR(histogram.pass_probability(sure, 100), 1.0, 1e-12);
  EXPECT_LT(histogram.pass_probability(sure - 1, 100), 1.0 - 1e-9);
  EXPECT_EQ(histogram.pass_probability(0, 100), 0.0);
  // Half a step above the threshold of 50 votes, symmetric noise passes half of the time.
  const double above = histogram.pass_probability(51, 100);
  const double below = histogram.pass_probability(50, 100);
  EXPECT_NEAR(above + below, 1.0, 1e-12);
}

}  // namespace
}  // namespace eigenveil::test::grid_outlook_test
