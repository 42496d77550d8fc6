// Draws on unitary orbits: the exponent against a search for the largest loss in closed form, the
// law of what is released for real and complex rows, budgets that add up, refusals by public facts.
#include "mechanism/orbit/orbit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/symmetric_eigen.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "mechanism/orbit/low_rank.hpp"
#include "mechanism/orbit/orbit_bounds.hpp"
#include "mechanism/orbit/orbit_components.hpp"
#include "statistics/gram_support.hpp"
#include "support/alpha_ledger.hpp"
#include "support/goodness_of_fit.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::orbit_test {
namespace {

constexpr std::array kRelations = {Relation::AddRemove, Relation::ReplaceOne, Relation::ZeroRow};

OrbitRequest request_for(std::size_t columns, Relation relation, double epsilon = 1.0) {
  return {*RowBound::row_norm(columns, 1.0), Vector::Ones(static_cast<Eigen::Index>(columns)),
          PureDp{epsilon}, relation};
}

/// log Z of exp(c u* M u) on the unit sphere of C², up to a constant: by the eigenvalues alone.
double log_normaliser(double c, const Eigen::Matrix2d& moment) {
  const Vector g = symmetric_eigen(moment).values;
  const double gap = c * (g[0] - g[1]);
  return c * g[0] + (gap > 1e-9 ? std::log(-std::expm1(-gap) / gap) : -gap / 2.0);
}

/// The largest |log density ratio| of two tables, over all outputs.
double largest_loss(double c, const Eigen::Matrix2d& first, const Eigen::Matrix2d& second) {
  const Vector change = symmetric_eigen(first - second).values;
  const double normalisers = log_normaliser(c, first) - log_normaliser(c, second);
  return std::max(std::abs(c * change[0] - normalisers), std::abs(c * change[1] - normalisers));
}

Eigen::Matrix2d outer(double norm, double angle) {
  const Eigen::Vector2d row = norm * Eigen::Vector2d(std::cos(angle), std::sin(angle));
  return row * row.transpose();
}

TEST(OrbitExponent, ASearchNeverExceedsEpsilonAndAPairComesClose) {
  constexpr double kEpsilon = 1.5;
  std::mt19937_64 engine(seed_for("orbit.search"));
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  for (const Relation relation : kRelations) {
    const double c =
        *orbit_exponent(PureDp{kEpsilon}, relation, Vector::Ones(1), 2, OrbitCalibration::Tight);
    for (int trial = 0; trial < 20000; ++trial) {
      const double scale = std::exp(6.0 * uniform(engine) - 3.0);
      const Eigen::Matrix2d rest = scale * (outer(1.0, 7.0 * uniform(engine)) +
                                            outer(uniform(engine), 7.0 * uniform(engine)));
      const Eigen::Matrix2d row =
          outer(uniform(engine) < 0.5 ? 1.0 : uniform(engine), 7.0 * uniform(engine));
      const Eigen::Matrix2d other =
          relation == Relation::ReplaceOne
              ? outer(uniform(engine) < 0.5 ? 1.0 : uniform(engine), 7.0 * uniform(engine))
              : Eigen::Matrix2d::Zero();
      ASSERT_LE(largest_loss(c, rest + row, rest + other), kEpsilon * (1.0 + 1e-12));
    }
    // Many rows along e2, then one along e1: the normalisers no longer help.
    const Eigen::Matrix2d rest = 300.0 * outer(1.0, M_PI / 2.0);
    const Eigen::Matrix2d other =
        relation == Relation::ReplaceOne ? outer(1.0, M_PI / 2.0) : Eigen::Matrix2d::Zero();
    EXPECT_GT(largest_loss(c, rest + outer(1.0, 0.0), rest + other), 0.99 * kEpsilon);
    // The twin: 2% more exponent breaks the claim there.
    EXPECT_GT(largest_loss(1.02 * c, rest + outer(1.0, 0.0), rest + other), kEpsilon);
  }
}

TEST(OrbitExponent, RefinementAndPublishedConstants) {
  const auto exponent = [](Relation relation, const Vector& l, Eigen::Index d,
                           OrbitCalibration calibration = OrbitCalibration::Tight) {
    return *orbit_exponent(PureDp{2.0}, relation, l, d, calibration);
  };
  const Vector l = Eigen::Vector3d(5.0, 4.0, 3.0);
  EXPECT_DOUBLE_EQ(exponent(Relation::AddRemove, l, 4), 2.0 / 5.0);
  EXPECT_DOUBLE_EQ(exponent(Relation::ReplaceOne, l, 4), 1.0 / 5.0);
  EXPECT_NEAR(exponent(Relation::ZeroRow, l, 3), 2.0 / 2.0, 0x1p-49);  // l_1 - l_d, rounded up
  EXPECT_DOUBLE_EQ(exponent(Relation::ReplaceOne, l, 3, OrbitCalibration::Published), 2.0 / 20.0);
  EXPECT_EQ(exponent(Relation::AddRemove, Vector::Ones(3), 3), 0.0);
  EXPECT_LE(exponent(Relation::AddRemove, l, 4) * 5.0, 2.0);  // rounded down
  EXPECT_FALSE(
      orbit_exponent(PureDp{1.0}, Relation::IndependentCopy, l, 4, OrbitCalibration::Tight));
}

/// Distribution function of s with density proportional to exp(a s) on [0, 1].
double truncated_exponential(double a, double s) {
  return std::expm1(a * s) / std::expm1(a);
}

/// Rows along two orthogonal directions of R² or C²; s = u* H u along the first.
TEST(OrbitLaw, ReleasedMatrixFollowsTheTruncatedExponential) {
  constexpr std::size_t kDraws = 20000;
  const double limit = dkw_limit(kDraws, alpha_of("mechanism: orbit law") / 2.0);
  for (const RowField field : {RowField::Real, RowField::Complex}) {
    const bool complex = field == RowField::Complex;
    OrbitRequest request = request_for(complex ? 4 : 2, Relation::AddRemove, 1.0);
    request.field = field;
    // Real: (0.6, 0.8) three times, (-0.8, 0.6) once. Complex: (0.6, 0.8 i), then (0.8, -0.6 i).
    const std::vector<double> rows = complex ? std::vector{0.6, 0.0, 0.0, 0.8, 0.6, 0.0, 0.0, 0.8,
                                                           0.6, 0.0, 0.0, 0.8, 0.8, 0.0, 0.0, -0.6}
                                             : std::vector{0.6, 0.8, 0.6, 0.8, 0.6, 0.8, -0.8, 0.6};
    const Eigen::Vector2cd first(0.6, complex ? std::complex<double>(0.0, 0.8) : 0.8);
    const OrbitPlan plan = *OrbitPlan::make(request, Vector::Ones(1));
    const ExactGram gram = gram_of(request.bound, rows);
    RandomStream stream = RandomStream::seeded(seed_for("orbit.law"));
    std::vector<double> seen;
    std::vector<double> conjugate;
    for (std::size_t i = 0; i < kDraws; ++i) {
      const ComplexMatrix h = plan.run(gram, stream)->value().matrix;
      seen.push_back((first.adjoint() * h * first).value().real());
      conjugate.push_back((first.transpose() * h * first.conjugate()).value().real());
    }
    const double a = plan.exponent() * 2.0;  // eigenvalues 3 and 1
    const auto distance = [](std::vector<double> values, double rate) {
      return kolmogorov_distance(values,
                                 [rate](double s) { return truncated_exponential(rate, s); });
    };
    EXPECT_LE(distance(seen, a), limit);
    EXPECT_GT(distance(seen, 2.0 * a), limit);  // twin: exponent doubled
    EXPECT_GT(distance(seen, a / 2.0), limit);  // twin: halved
    if (complex) {
      EXPECT_GT(distance(conjugate, a), limit);  // twin: imaginary part with the wrong sign
    }
  }
}

TEST(OrbitPlans, SharesNeverExceedTheBudgetAndTheGuaranteeIsTheBudget) {
  for (const Relation relation : kRelations) {
    for (const double epsilon : {0.1, 1.0, 3.7}) {
      for (const int group : {1, 3}) {
        OrbitRequest request = request_for(5, relation, epsilon);
        request.group_size = group;
        const LowRankPlan low_rank = *LowRankPlan::make(request, 2, {});
        EXPECT_LE(group * (std::get<PureDp>(low_rank.eigenvalue_budget()).epsilon +
                           low_rank.direction_budget().epsilon),
                  epsilon * (1.0 + 1e-15));
        const OrbitComponentsPlan components = *OrbitComponentsPlan::make(request, 2, 0.2);
        EXPECT_LE(components.direction_budget().epsilon +
                      std::get<PureDp>(components.variance_budget()).epsilon,
                  std::get<PureDp>(*budget_per_row(request.budget, group)).epsilon);
        for (const Guarantee& stated : {low_rank.guarantee(), components.guarantee()}) {
          EXPECT_EQ(stated.basis, Basis::ProvedRealArithmetic);
          EXPECT_EQ(stated.relation, relation);
          EXPECT_NEAR(std::get<PureDp>(stated.loss).epsilon, epsilon, 1e-12);
        }
      }
    }
  }
}

TEST(OrbitPlans, RhoAndMuBuyTheRangeOfTheDraw) {
  for (const Relation relation : kRelations) {
    for (const int group : {1, 3}) {
      OrbitRequest request = request_for(5, relation, 1.0);
      request.group_size = group;
      request.budget = Zcdp{0.1};
      const OrbitComponentsPlan by_rho = *OrbitComponentsPlan::make(request, 2, 0.2);
      EXPECT_EQ(std::get<Zcdp>(by_rho.guarantee().loss).rho, 0.1);
      EXPECT_NEAR(group * by_rho.direction_budget().epsilon, std::sqrt(8.0 * 0.08), 1e-9);
      const LowRankPlan low_rank = *LowRankPlan::make(request, 2, 0.3);
      const double e = group * low_rank.direction_budget().epsilon;
      const double noise = group * std::get<GaussianDp>(low_rank.eigenvalue_budget()).mu;
      EXPECT_LE(e * e / 8.0 + noise * noise / 2.0, 0.1 * (1.0 + 1e-12));
      EXPECT_GE(e * e / 8.0 + noise * noise / 2.0, 0.1 * (1.0 - 1e-9));
      request.budget = GaussianDp{1.0};
      for (const double mu : {OrbitComponentsPlan::make(request, 2, 0.2)->gaussian().mu,
                              OrbitComponentsPlan::make(request, 5, 0.2)->gaussian().mu,
                              LowRankPlan::make(request, 2, {})->gaussian().mu,
                              OrbitPlan::make(request, Vector::Ones(2))->gaussian().mu}) {
        EXPECT_LE(mu, 1.0 + 1e-14);
        EXPECT_GT(mu, 1.0 - 1e-9);
      }
    }
  }
}

TEST(OrbitPlans, EveryTableOfTheShapeRuns) {
  RandomStream stream = RandomStream::secure();
  for (const Eigen::Index rank : {1, 2, 3}) {
    const OrbitRequest request = request_for(3, Relation::AddRemove, 0.5);
    for (const std::vector<double>& rows :
         {std::vector<double>{}, std::vector<double>(9, 0.0), std::vector<double>(9, 0.57)}) {
      const ExactGram gram = gram_of(request.bound, rows);
      const auto low_rank = LowRankPlan::make(request, rank, {})->run(gram, stream);
      ASSERT_TRUE(low_rank);
      const LowRankDraw& draw = low_rank->value();
      EXPECT_EQ(draw.orbit.matrix, ComplexMatrix(draw.orbit.matrix.adjoint()));
      EXPECT_GE(draw.eigenvalues.values.minCoeff(), 0.0);
      EXPECT_NEAR(draw.orbit.matrix.trace().real(), draw.eigenvalues.values.sum(),
                  1e-9 * (1.0 + draw.eigenvalues.values.sum()));
      const auto components = OrbitComponentsPlan::make(request, rank, 0.2)->run(gram, stream);
      ASSERT_TRUE(components) << components.error().message;
      const Matrix& loadings = components->value().components.loadings;
      EXPECT_LT((loadings.transpose() * loadings - Matrix::Identity(rank, rank)).norm(), 1e-6);
    }
  }
}

/// The sampler divides by l_1: what it sees of nearly equal eigenvalues, a rounded quotient, must
/// not move the score by more than the plan says.
TEST(OrbitExponent, CoversTheRoundedQuotientThatTheSamplerSees) {
  const double largest = 4.0 / 3.0;
  const Eigen::Vector2d spectrum(largest, largest - 0x1p-52);  // a quotient of 1 - 1.5 * 2^-53
  const double seen = 1.0 - spectrum[1] / largest;
  EXPECT_GT(largest * seen, 1.3 * (spectrum[0] - spectrum[1]));
  const double exponent =
      *orbit_exponent(PureDp{1.0}, Relation::AddRemove, spectrum, 2, OrbitCalibration::Tight);
  EXPECT_LE(exponent * largest * seen, 1.0);
}

TEST(OrbitPlans, PublicFactsAreRefused) {
  OrbitRequest request = request_for(3, Relation::AddRemove);
  EXPECT_FALSE(LowRankPlan::make(request, 4, {}));
  EXPECT_FALSE(LowRankPlan::make(request, 0, {}));
  EXPECT_FALSE(LowRankPlan::make(request, 1, 1.0));
  EXPECT_FALSE(OrbitPlan::make(request, Eigen::Vector2d(1.0, 2.0)));
  EXPECT_FALSE(OrbitPlan::make(request, Vector::Constant(1, 1e-320)));  // gave NaN
  EXPECT_FALSE(OrbitPlan::make(request, Vector::Constant(2, 1e308)));
  request.field = RowField::Complex;
  EXPECT_FALSE(OrbitPlan::make(request, Vector::Ones(1)));  // odd number of columns
  request = request_for(2000, Relation::AddRemove);
  EXPECT_FALSE(OrbitComponentsPlan::make(request, 2, 0.2));
  request.unbounded_time = true;
  EXPECT_TRUE(OrbitComponentsPlan::make(request, 2, 0.2));
}

/// E(g_1 - tr(M H)) in closed form for d = 2 never exceeds N / c, and reaches it.
TEST(OrbitBounds, ExpectedScoreLossIsABoundThatIsReached) {
  double closest = 0.0;
  for (const double c : {0.01, 0.1, 1.0, 10.0, 100.0}) {
    constexpr double kGap = 2.0;
    const double a = c * kGap;
    const double mean = 1.0 / a - 1.0 / std::expm1(a);  // of 1 - s
    const double bound = expected_score_loss(Vector::Ones(1), 2, c);
    EXPECT_LE(kGap * mean, bound);
    closest = std::max(closest, kGap * mean / bound);
  }
  EXPECT_GT(closest, 0.99);
  EXPECT_EQ(orbit_dimension(Vector::Ones(3), 10), 21.0);                      // k (d - k)
  EXPECT_EQ(orbit_dimension(Eigen::Vector3d(3.0, 2.0, 1.0), 10), 9 + 8 + 7);  // distinct
  EXPECT_EQ(orbit_dimension(Vector::Ones(4), 4), 0.0);
}

}  // namespace
}  // namespace eigenveil::test::orbit_test
