// One component by the exponential mechanism: the density ratio of the proof, the law of the draw,
// the split of the budget, what is refused.
#include "mechanism/exponential/exponential.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numbers>
#include <random>

#include "eigenveil/privacy/conversion.hpp"
#include "statistics/gram_support.hpp"
#include "support/alpha_ledger.hpp"
#include "support/goodness_of_fit.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::exponential_test {
namespace {

constexpr double kEpsilon = 2.0;
constexpr int kAngles = 720;

using Rows = std::vector<Eigen::Vector2d>;

Eigen::Vector2d at_angle(double angle) {
  return {std::cos(angle), std::sin(angle)};
}

/// log density of u on a grid of the half circle, normalised by the grid sum.
std::vector<double> log_density(const Rows& rows, double exponent) {
  std::vector<double> score(kAngles);
  for (int i = 0; i < kAngles; ++i) {
    const Eigen::Vector2d u = at_angle(std::numbers::pi * i / kAngles);
    for (const Eigen::Vector2d& row : rows) {
      score[static_cast<std::size_t>(i)] += exponent * std::pow(u.dot(row), 2);
    }
  }
  const double top = *std::max_element(score.begin(), score.end());
  double sum = 0.0;
  for (const double value : score) {
    sum += std::exp(value - top);
  }
  for (double& value : score) {
    value -= top + std::log(sum);
  }
  return score;
}

double largest_ratio(const Rows& first, const Rows& second, double exponent) {
  const std::vector<double> a = log_density(first, exponent);
  const std::vector<double> b = log_density(second, exponent);
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a[i] - b[i]));
  }
  return largest;
}

/// Random neighbours with rows in the unit disc; half of the tables pile up along one direction.
double worst_found(Relation relation, double exponent) {
  std::mt19937_64 engine(seed_for("exponential.search"));
  std::uniform_real_distribution<double> angle(0.0, std::numbers::pi);
  double worst = 0.0;
  for (int pair = 0; pair < 300; ++pair) {
    const double common = angle(engine);
    Rows rows;
    for (std::uint64_t i = engine() % 13; i > 0; --i) {
      rows.push_back(at_angle(pair % 2 == 0 ? common : angle(engine)));
    }
    Rows first = rows;
    Rows second = rows;
    first.push_back(at_angle(common + std::numbers::pi / 2.0));
    if (relation == Relation::ReplaceOne) {
      second.push_back(at_angle(pair % 3 == 0 ? angle(engine) : common));
    } else if (relation == Relation::ZeroRow) {
      second.emplace_back(0.0, 0.0);
    }
    worst = std::max(worst, largest_ratio(first, second, exponent));
  }
  return worst;
}

TEST(Exponential, TheDensityRatioStaysWithinTheClaim) {
  for (const Relation relation : {Relation::AddRemove, Relation::ZeroRow, Relation::ReplaceOne}) {
    const double exponent = *exponential_exponent(kEpsilon, 1.0, relation);
    const double worst = worst_found(relation, exponent);
    EXPECT_LE(worst, kEpsilon * (1.0 + 1e-12)) << name_of(relation);
    EXPECT_GT(worst, 0.9 * kEpsilon) << name_of(relation) << ": the search is blind";
    // The twin: a fifth more exponent must be noticed by the same search.
    EXPECT_GT(worst_found(relation, 1.2 * exponent), kEpsilon) << name_of(relation);
  }
  const double of_add_remove = *exponential_exponent(kEpsilon, 1.0, Relation::AddRemove);
  EXPECT_GT(worst_found(Relation::ReplaceOne, of_add_remove), kEpsilon);
}

TEST(Exponential, TheExponentIsRoundedDownAndRefusedElsewhere) {
  for (const double norm2 : {0.3, 1.0, 7.0, 1e-3}) {
    EXPECT_LT(*exponential_exponent(0.7, norm2, Relation::AddRemove) * norm2, 0.7 + 1e-15);
    EXPECT_LE(*exponential_exponent(0.7, norm2, Relation::ReplaceOne),
              *exponential_exponent(0.7, norm2, Relation::ZeroRow) / 2.0);
  }
  EXPECT_FALSE(exponential_exponent(1.0, 1.0, Relation::IndependentCopy));
}

TEST(Exponential, TheDrawFollowsTheDensity) {
  const double exponent = 3.0;
  Matrix moment(2, 2);
  moment << 1.25, 0.5, 0.5, 0.75;
  // The angle has density exp(c u'Mu), by the midpoint rule: error far below the limit.
  constexpr int kCells = 20'000;
  std::vector<double> cumulative(kCells + 1, 0.0);
  for (int i = 0; i < kCells; ++i) {
    const Eigen::Vector2d u = at_angle(std::numbers::pi * (i + 0.5) / kCells);
    cumulative[static_cast<std::size_t>(i) + 1] =
        cumulative[static_cast<std::size_t>(i)] + std::exp(exponent * u.dot(moment * u));
  }
  const auto cdf = [&](double angle) {
    const double place = std::clamp(angle / std::numbers::pi, 0.0, 1.0) * kCells;
    const auto cell = std::min<std::size_t>(kCells - 1, static_cast<std::size_t>(place));
    const double inside = place - static_cast<double>(cell);
    return ((1.0 - inside) * cumulative[cell] + inside * cumulative[cell + 1]) / cumulative.back();
  };
  const auto distance = [&](double used) {
    RandomStream stream = RandomStream::seeded(seed_for("exponential.draw"));
    std::vector<double> angles;
    for (int i = 0; i < 20'000; ++i) {
      const Matrix u = draw_component(moment, used, {1e-9, 0.0}, stream);
      const double angle = std::atan2(u(1, 0), u(0, 0));
      angles.push_back(angle < 0.0 ? angle + std::numbers::pi : angle);
    }
    return kolmogorov_distance(angles, cdf);
  };
  const double limit = dkw_limit(20'000, alpha_of("mechanism: exponential draw"));
  EXPECT_LT(distance(exponent), limit);
  EXPECT_GT(distance(exponent / 2.0), limit);
}

ExponentialRequest request_of(const Budget& budget, Relation relation = Relation::AddRemove,
                              int group = 1) {
  return {*RowBound::row_norm(3, 2.0), Vector::Ones(3), budget, relation, group, 0.2};
}

TEST(Exponential, ThePlanSplitsTheBudget) {
  const Result<ExponentialPlan> plan = plan_exponential(request_of(PureDp{1.0}));
  ASSERT_TRUE(plan);
  EXPECT_EQ(std::get<PureDp>(plan->guarantee().loss).epsilon, 1.0);
  EXPECT_EQ(plan->guarantee().basis, Basis::ProvedRealArithmetic);
  EXPECT_NEAR(plan->direction_epsilon(), 0.8, 1e-12);
  const double inside = std::get<PureDp>(plan->projection().guarantee().loss).epsilon;
  EXPECT_LE(plan->direction_epsilon() + inside, 1.0);
  EXPECT_LT(plan->exponent(), 0.8 / 4.0);  // what solver and blur take
  EXPECT_GT(plan->exponent(), 0.998 * 0.8 / 4.0);
  EXPECT_LT(plan->zcdp_rho(), 0.8 * 0.8 / 8.0 + 0.2 * 0.2 / 2.0 + 1e-12);
  const Result<ExponentialPlan> groups =
      plan_exponential(request_of(PureDp{1.0}, Relation::AddRemove, 4));
  EXPECT_NEAR(groups->direction_epsilon(), 0.2, 1e-12);
  EXPECT_NEAR(std::get<PureDp>(groups->guarantee().loss).epsilon, 1.0, 1e-12);
  EXPECT_EQ(groups->guarantee().group_size, 4);
}

TEST(Exponential, RhoBuysTheBoundedRange) {
  const Result<ExponentialPlan> plan = plan_exponential(request_of(Zcdp{0.1}));
  ASSERT_TRUE(plan);
  EXPECT_EQ(std::get<Zcdp>(plan->guarantee().loss).rho, 0.1);
  EXPECT_LE(std::pow(plan->direction_epsilon(), 2) / 8.0, 0.08);
  EXPECT_NEAR(plan->direction_epsilon(), std::sqrt(0.64), 1e-9);
  // Draw and blur, one after the other.
  const double draw = (1.0 - kBlurShare) * plan->direction_epsilon();
  const double blur = kBlurShare * plan->direction_epsilon();
  EXPECT_LE(bounded_range_zcdp(draw).rho + pure_zcdp(blur).rho, 0.08);
}

/// Two answers with losses t and t - r, the worst pairs of bounded range r: every kink of their
/// trade-off curves lies above that of mu(r / 2), and the middle one on it.
TEST(Exponential, ABoundedRangeIsCoveredByTheMuOfItsHalf) {
  const boost::math::normal normal;
  for (const double range : {0.01, 0.3, 1.0, 4.0, 12.0}) {
    const double mu = pure_gdp(range / 2.0).mu;
    double largest = 0.0;
    for (int i = 1; i < 2000; ++i) {
      const double t = range * i / 2000.0;
      const double q = std::expm1(range - t) / (std::exp(range) - 1.0);
      const double p = std::exp(t) * q;
      largest =
          std::max(largest, boost::math::quantile(normal, p) - boost::math::quantile(normal, q));
    }
    EXPECT_LE(largest, mu * (1.0 + 1e-9)) << range;
    EXPECT_GT(largest, pure_gdp(range / 2.0 * 0.999).mu) << range;
  }
}

/// The plan's mu: draw and noise along it, whichever budget was given; for groups too.
TEST(Exponential, StatesTheMuThatCoversIt) {
  for (const Budget& budget : {Budget(PureDp{1.0}), Budget(Zcdp{0.1})}) {
    const Result<ExponentialPlan> plan = plan_exponential(request_of(budget));
    ASSERT_TRUE(plan);
    ASSERT_EQ(plan->further_losses().size(), 1U);
    const double mu = std::get<GaussianDp>(plan->further_losses().front()).mu;
    const double draw = pure_gdp(0.5 * plan->direction_epsilon()).mu;
    const Loss inside = plan->projection().guarantee().loss;
    const auto* gaussian = std::get_if<GaussianDp>(&inside);
    const double noise =
        gaussian != nullptr ? gaussian->mu : pure_gdp(std::get<PureDp>(inside).epsilon).mu;
    EXPECT_GE(mu, std::hypot(draw, noise) * (1.0 - 1e-15));
    EXPECT_NEAR(mu, std::hypot(draw, noise), 1e-12);
    const Result<ExponentialPlan> groups =
        plan_exponential(request_of(budget, Relation::AddRemove, 3));
    EXPECT_GT(std::get<GaussianDp>(groups->further_losses().front()).mu,
              std::get<GaussianDp>(plan->further_losses().front()).mu * 0.9);
  }
}

TEST(Exponential, MuBuysTheBoundedRange) {
  for (const int group : {1, 3}) {
    const Result<ExponentialPlan> plan =
        plan_exponential(request_of(GaussianDp{1.0}, Relation::AddRemove, group));
    ASSERT_TRUE(plan);
    EXPECT_EQ(std::get<GaussianDp>(plan->guarantee().loss).mu, 1.0);
    // The group is charged at most what it asked for, and hardly less.
    EXPECT_LE(plan->gaussian().mu, 1.0 + 1e-15);
    EXPECT_GT(plan->gaussian().mu, 1.0 - 1e-9);
    const double pure = pure_budget(GaussianDp{std::sqrt(0.8)})->epsilon;
    EXPECT_NEAR(plan->direction_epsilon() * group, 2.0 * pure, 1e-9);
  }
  // Pure epsilon is charged by its range: less than half as much as a loss that is only pure.
  const Result<ExponentialPlan> pure = plan_exponential(request_of(PureDp{1.0}));
  EXPECT_NEAR(pure->gaussian().mu, std::hypot(pure_gdp(0.4).mu, pure_gdp(0.2).mu), 1e-9);
  EXPECT_LT(pure->gaussian().mu, 0.46 * pure_gdp(1.0).mu);
}

TEST(Exponential, ReleasesAUnitVectorOnAPublicGrid) {
  const RowBound bound = *RowBound::row_norm(3, 1.0);
  std::vector<double> values;
  for (int i = 0; i < 500; ++i) {
    values.insert(values.end(), {0.6, 0.8, i % 2 == 0 ? 0.01 : -0.01});
  }
  const ExactGram gram = gram_of(bound, values);
  const ExponentialPlan plan =
      *plan_exponential({bound, Vector::Ones(3), PureDp{50.0}, Relation::AddRemove, 1, 0.2});
  RandomStream stream = RandomStream::seeded(seed_for("exponential.release"));
  const Release<DrawnSubspace> release = *plan.run(gram, stream);
  const Matrix& u = release.value().frame;
  EXPECT_EQ(release.guarantee().basis, Basis::NotPrivate);  // seeded
  EXPECT_EQ(release.guarantee().would_be, Basis::ProvedRealArithmetic);
  for (const double entry : u.reshaped()) {
    EXPECT_EQ(std::ldexp(entry, 30), std::nearbyint(std::ldexp(entry, 30)));
  }
  // Beyond 0.999 with probability above 1 - 1e-9: the exponent is 40 * 500.
  EXPECT_GT(std::abs(0.6 * u(0, 0) + 0.8 * u(1, 0)), 0.999);
  EXPECT_NEAR(release.value().projection.count, 500.0, 40.0 * release.value().projection.count_sd);
}

TEST(Exponential, AnEmptyTableGivesAReleaseToo) {
  const RowBound bound = *RowBound::row_norm(3, 1.0);
  const ExactGram gram = gram_of(bound, {});
  const ExponentialPlan plan =
      *plan_exponential({bound, Vector::Ones(3), PureDp{1.0}, Relation::AddRemove, 1, 0.2});
  RandomStream stream = RandomStream::secure();
  EXPECT_TRUE(plan.run(gram, stream));
}

}  // namespace
}  // namespace eigenveil::test::exponential_test
