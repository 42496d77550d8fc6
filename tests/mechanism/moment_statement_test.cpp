// What a release states is what was drawn: loss and noise agree for every relation and group size,
// for every diagonal entry of a wide table, and down to the fraction of a grid step.
#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "mechanism/gauss/gauss.hpp"
#include "mechanism/laplace/laplace.hpp"
#include "mechanism/wishart/wishart.hpp"
#include "statistics/gram_support.hpp"
#include "support/alpha_ledger.hpp"
#include "support/goodness_of_fit.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::moment_statement_test {
namespace {

/// A group of G moves the statistic G times as far, and the stated loss must cover that.
TEST(MomentStatement, LossCoversTheGroup) {
  const RowBound bound = *RowBound::row_norm(3, 1.0);
  const ExactGram empty = gram_of(bound, {});
  RandomStream stream = RandomStream::secure();
  for (const Relation relation : {Relation::AddRemove, Relation::ReplaceOne, Relation::ZeroRow}) {
    for (const int group : {1, 2, 7}) {
      const MomentPlan gauss =
          *plan_gauss({bound, ApproxDp{1.0, 1e-6}, relation, Extension::Full, group});
      const MomentPlan laplace =
          *plan_laplace({bound, ApproxDp{1.0, 1e-6}, relation, Extension::Full, group});
      const MomentPlan wishart =
          *plan_wishart({bound, ApproxDp{1.0, 1e-6}, relation, Extension::Full, group});
      for (const MomentPlan& plan : {gauss, laplace, wishart}) {
        const Guarantee stated = plan.run(empty, stream)->guarantee();
        EXPECT_EQ(stated.relation, relation);
        EXPECT_EQ(stated.group_size, group);
        const auto* gaussian = std::get_if<GaussianDp>(&stated.loss);
        const double loss =
            gaussian != nullptr ? gaussian->mu : std::get<PureDp>(stated.loss).epsilon;
        const double scale = plan.noise().law == NoiseLaw::Wishart ? 2.0 * plan.noise().factor
                                                                   : plan.noise().diagonal;
        EXPECT_GE(loss, group * plan.sensitivity() / scale);
        EXPECT_NEAR(loss, group * plan.sensitivity() / scale, 1e-12 * loss);
      }
    }
  }
}

/// More entries than one task takes: every diagonal entry has the larger scale, to the last one.
TEST(MomentStatement, EveryDiagonalEntryOfAWideTableHasItsScale) {
  constexpr Eigen::Index kDimension = 400;
  constexpr Eigen::Index kFirst = 362;  // past the first 2^16 entries
  const RowBound bound = *RowBound::row_norm(kDimension, 1.0);
  const MomentPlan plan =
      *plan_gauss({bound, GaussianDp{1.0}, Relation::AddRemove, Extension::Count, 1});
  const ExactGram empty = gram_of(bound, {});
  RandomStream stream = RandomStream::seeded(seed_for("mechanism.wide"));
  std::vector<double> early;
  std::vector<double> late;
  for (int release = 0; release < 120; ++release) {
    const Vector diagonal = plan.run(empty, stream)->value().products.diagonal();
    early.insert(early.end(), diagonal.begin() + 4, diagonal.begin() + kFirst);
    late.insert(late.end(), diagonal.begin() + kFirst, diagonal.end());
  }
  for (std::vector<double>* seen : {&early, &late}) {
    const double limit =
        dkw_limit(seen->size(), alpha_of("mechanism: diagonal of a wide table") / 2.0) +
        std::ldexp(1.0, -20);
    const boost::math::normal exact(0.0, plan.product_sd());
    const boost::math::normal off_diagonal(0.0, plan.off_diagonal_sd());
    EXPECT_LE(kolmogorov_distance(*seen, [&](double x) { return cdf(exact, x); }), limit);
    EXPECT_GT(kolmogorov_distance(*seen, [&](double x) { return cdf(off_diagonal, x); }), limit)
        << "the broken twin passes";
  }
}

/// x + noise is rounded once. Rounding x first would move a value one step below a grid point as if
/// it lay on the point below: with equal noise no release of it would differ from that point's.
TEST(MomentStatement, TheFractionOfAGridStepTakesPart) {
  const RowBound bound = *RowBound::row_norm(1, 1.0);  // 2^18 steps
  const MomentPlan plan =
      *plan_gauss({bound, GaussianDp{1.0}, Relation::AddRemove, Extension::None, 1});
  const int exponent = *noise_grid_exponent(plan.noise());
  ASSERT_GT(exponent, 8);
  // v^2 just below 2^exponent: v = floor(sqrt(2^exponent - 1)).
  const double v = std::floor(std::sqrt(std::ldexp(1.0, exponent) - 1.0));
  ASSERT_GT(v * v, 0.98 * std::ldexp(1.0, exponent));
  const ExactGram below = gram_of(bound, {v * bound.unit()});
  const ExactGram zero = gram_of(bound, {});
  ASSERT_EQ(trusted::totals(below).products[0], static_cast<Int128>(v * v));
  const double step = std::ldexp(bound.unit() * bound.unit(), exponent);
  int moved = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    RandomStream first = RandomStream::seeded(seed);
    RandomStream second = RandomStream::seeded(seed);
    const double difference = plan.run(below, first)->value().products(0, 0) -
                              plan.run(zero, second)->value().products(0, 0);
    EXPECT_TRUE(difference == 0.0 || difference == step);
    moved += difference == step ? 1 : 0;
  }
  EXPECT_GT(moved, 50);  // each with probability above 0.98; seeds are fixed
}

}  // namespace
}  // namespace eigenveil::test::moment_statement_test
