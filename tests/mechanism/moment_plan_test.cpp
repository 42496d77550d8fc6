// The noise really drawn by gauss, laplace and wishart: its law entry by entry, the grid it lives
// on, and what a release says about itself.
#include "mechanism/moment/moment_plan.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/laplace.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "mechanism/gauss/gauss.hpp"
#include "mechanism/laplace/laplace.hpp"
#include "mechanism/wishart/wishart.hpp"
#include "statistics/gram_support.hpp"
#include "support/alpha_ledger.hpp"
#include "support/goodness_of_fit.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::moment_plan_test {
namespace {

constexpr int kReleases = 20'000;

/// The four kinds of released entries, as deviations from the exact value over many releases.
struct Deviations {
  std::vector<double> count;
  std::vector<double> sum;
  std::vector<double> diagonal;
  std::vector<double> off_diagonal;
};

Deviations deviations(const MomentPlan& plan, const ExactGram& gram, RandomStream& stream) {
  const GramTotals& exact = trusted::totals(gram);
  const double unit = gram.bound().unit();
  Deviations result;
  for (int i = 0; i < kReleases; ++i) {
    const NoisyMoment released = plan.run(gram, stream)->value();
    result.count.push_back(released.count - static_cast<double>(exact.count));
    result.sum.push_back((*released.sums)[0] - unit * static_cast<double>(exact.sums[0]));
    const auto product = [&](Eigen::Index row, Eigen::Index column) {
      const auto at =
          triangle_index(static_cast<std::size_t>(row), static_cast<std::size_t>(column));
      return released.products(row, column) - unit * unit * static_cast<double>(exact.products[at]);
    };
    result.diagonal.push_back(product(1, 1));
    result.off_diagonal.push_back(product(0, 1));
  }
  return result;
}

/// P(X - Y <= x) for independent Gamma(shape) variables, whole shape.
double gamma_difference_cdf(int shape, double x) {
  double tail = 0.0;
  for (int j = 0; j < shape; ++j) {
    for (int i = 0; i <= j; ++i) {
      tail += std::pow(std::abs(x), j - i) / (std::tgamma(i + 1.0) * std::tgamma(j - i + 1.0)) *
              std::tgamma(shape + i) / std::tgamma(shape) * std::exp2(-(shape + i));
    }
  }
  tail *= std::exp(-std::abs(x));
  return x > 0.0 ? 1.0 - tail : tail;
}

/// Of 3 x 3 noise, four degrees of freedom: 2 s (Gamma(2) - Gamma(2)) on the diagonal, with
/// standard deviation 4 s; s (Gamma(4) - Gamma(4)) off it, because 4 g.h = |g + h|² - |g - h|².
double distance_to_wishart(std::vector<double> values, bool diagonal, double sd) {
  return kolmogorov_distance(values, [&](double x) {
    return diagonal ? gamma_difference_cdf(2, x / (sd / 2.0))
                    : gamma_difference_cdf(4, x / (sd / std::sqrt(8.0)));
  });
}

double distance_to_law(std::vector<double> values, NoiseLaw law, double scale) {
  if (law == NoiseLaw::Gaussian) {
    const boost::math::normal exact(0.0, scale);
    return kolmogorov_distance(values, [&](double x) { return cdf(exact, x); });
  }
  const boost::math::laplace exact(0.0, scale);
  return kolmogorov_distance(values, [&](double x) { return cdf(exact, x); });
}

class MomentLaw : public ::testing::TestWithParam<NoiseLaw> {
 protected:
  MomentLaw()
      : bound_(*RowBound::row_norm(2, 1.0)), gram_(gram_of(bound_, {0.6, 0.3, -0.2, 0.9})) {}

  MomentPlan plan() const {
    const NoiseLaw law = GetParam();
    const bool gaussian = law == NoiseLaw::Gaussian;
    const Budget budget = gaussian ? Budget(GaussianDp{0.7}) : Budget(PureDp{0.7});
    const MomentRequest request{bound_, budget, Relation::AddRemove, Extension::Full, 1};
    return gaussian                   ? *plan_gauss(request)
           : law == NoiseLaw::Laplace ? *plan_laplace(request)
                                      : *plan_wishart(request);
  }

  RowBound bound_;
  ExactGram gram_;
};

// Rounding moves a value by at most half of 2^-20 scales, which moves a distribution function by
// less than 2^-20: far below the limit, and added to it.
TEST_P(MomentLaw, EveryEntryHasItsScale) {
  RandomStream stream = RandomStream::seeded(seed_for("mechanism.law"));
  const MomentPlan planned = plan();
  const Deviations seen = deviations(planned, gram_, stream);
  const double unit = bound_.unit();
  const double t = static_cast<double>(planned.shape().constant);
  const NoiseScale noise = planned.noise();
  const double limit = dkw_limit(kReleases, alpha_of("mechanism: law of released entries") / 12.0) +
                       std::ldexp(1.0, -20);
  const auto check = [&](const std::vector<double>& values, bool diagonal, double scale) {
    const auto distance = [&](double s) {
      return noise.law == NoiseLaw::Wishart ? distance_to_wishart(values, diagonal, s)
                                            : distance_to_law(values, noise.law, s);
    };
    EXPECT_LE(distance(scale), limit);
    EXPECT_GT(distance(0.85 * scale), limit) << "the broken twin passes";
  };
  check(seen.count, true, noise.diagonal / (t * t));
  check(seen.sum, false, noise.off_diagonal * unit / t);
  check(seen.diagonal, true, noise.diagonal * unit * unit);
  check(seen.off_diagonal, false, noise.off_diagonal * unit * unit);
  if (noise.law == NoiseLaw::Gaussian) {
    EXPECT_NEAR(noise.off_diagonal / noise.diagonal, std::sqrt(0.5), 1e-15);
  }
}

/// A grid that depended on the data would tell neighbours apart by the low bits alone.
TEST_P(MomentLaw, NeighboursLieOnOneGrid) {
  RandomStream stream = RandomStream::seeded(seed_for("mechanism.grid"));
  const MomentPlan planned = plan();
  const double step =
      std::ldexp(bound_.unit() * bound_.unit(), *noise_grid_exponent(planned.noise()));
  for (const std::vector<double>& rows : {std::vector<double>{},
                                          {0.6, 0.3},
                                          {0.1, -0.7, 0.6, 0.3},
                                          {1e300, 1.0, 0.123456789, -0.1}}) {
    const NoisyMoment released = planned.run(gram_of(bound_, rows), stream)->value();
    for (const double value : released.products.reshaped()) {
      EXPECT_EQ(value / step, std::round(value / step));
    }
  }
}

TEST_P(MomentLaw, ReleasesDifferAndSeedsRepeat) {
  RandomStream secure = RandomStream::secure();
  RandomStream once = RandomStream::seeded(5);
  RandomStream again = RandomStream::seeded(5);
  const MomentPlan planned = plan();
  EXPECT_NE(planned.run(gram_, secure)->value().products,
            planned.run(gram_, secure)->value().products);
  EXPECT_EQ(planned.run(gram_, once)->value().products,
            planned.run(gram_, again)->value().products);
}

TEST_P(MomentLaw, ASeededReleaseIsNotPrivate) {
  RandomStream seeded = RandomStream::seeded(1);
  RandomStream secure = RandomStream::secure();
  EXPECT_EQ(plan().run(gram_, seeded)->guarantee().basis, Basis::NotPrivate);
  const Guarantee stated = plan().run(gram_, secure)->guarantee();
  EXPECT_EQ(stated.basis, Basis::Proved);
  EXPECT_TRUE(stated.secure_random);
}

INSTANTIATE_TEST_SUITE_P(EveryLaw, MomentLaw,
                         ::testing::Values(NoiseLaw::Gaussian, NoiseLaw::Laplace,
                                           NoiseLaw::Wishart));

/// Many entries are drawn by several threads from one family of streams.
TEST(MomentPlan, ManyEntriesDoNotShareNoise) {
  const std::size_t dimension = 600;
  const RowBound bound = *RowBound::row_norm(dimension, 1.0);
  const MomentPlan plan =
      *plan_gauss({bound, GaussianDp{1.0}, Relation::AddRemove, Extension::Count, 1});
  RandomStream stream = RandomStream::seeded(seed_for("mechanism.threads"));
  const ExactGram empty = gram_of(bound, {});
  Matrix first = plan.run(empty, stream)->value().products;
  const Matrix second = plan.run(empty, stream)->value().products;
  EXPECT_EQ((first.array() == second.array()).count(), 0);
  Vector entries = first.reshaped();
  std::sort(entries.begin(), entries.end());
  const auto repeats = std::distance(std::unique(entries.begin(), entries.end()), entries.end());
  // Each off-diagonal value stands twice; beyond that two of 180,300 draws on a grid of about 2^22
  // likely steps may meet, so only a large number of repeats means shared noise.
  EXPECT_LT(repeats - static_cast<long>(dimension * (dimension - 1) / 2), 20'000);
}

TEST(MomentPlan, GroupsDivideTheBudget) {
  const RowBound bound = *RowBound::row_norm(3, 1.0);
  const auto noise = [&](const Budget& budget, int group) {
    const MomentRequest request{bound, budget, Relation::AddRemove, Extension::Count, group};
    const bool pure = std::holds_alternative<PureDp>(budget);
    return (pure ? plan_laplace(request) : plan_gauss(request))->noise().diagonal;
  };
  for (const int group : {2, 5}) {
    for (const Budget& budget : {Budget(PureDp{1.0}), Budget(GaussianDp{0.5}), Budget(Zcdp{0.1})}) {
      EXPECT_NEAR(noise(budget, group) / noise(budget, 1), group, 1e-12 * group);
    }
    EXPECT_GE(noise(ApproxDp{1.0, 1e-6}, group),
              group * noise(ApproxDp{1.0, 1e-6}, 1) * (1.0 - 1e-9));
  }
}

TEST(MomentPlan, RefusesBeforeAnyRowIsRead) {
  const RowBound bound = *RowBound::row_norm(3, 1.0);
  const auto request = [&](const Budget& budget, Relation relation, int group) {
    return MomentRequest{bound, budget, relation, Extension::Count, group};
  };
  EXPECT_FALSE(plan_gauss(request(PureDp{1.0}, Relation::AddRemove, 1)));
  EXPECT_FALSE(plan_gauss(request(GaussianDp{-1.0}, Relation::AddRemove, 1)));
  EXPECT_FALSE(plan_gauss(request(GaussianDp{1.0}, Relation::IndependentCopy, 1)));
  EXPECT_FALSE(plan_gauss(request(GaussianDp{1.0}, Relation::AddRemove, 0)));
  EXPECT_FALSE(plan_gauss(request(GaussianDp{1e-300}, Relation::AddRemove, 1)));
  EXPECT_FALSE(plan_laplace(request(PureDp{1e300}, Relation::AddRemove, 1)));
}

}  // namespace
}  // namespace eigenveil::test::moment_plan_test
