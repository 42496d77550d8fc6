// Regression on released moments: intervals that cover, corrections that matter, refusals.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <array>
#include <cmath>

#include "core/symmetric_eigen.hpp"
#include "mechanism/mask/released_gram.hpp"
#include "random/normal.hpp"
#include "support/alpha_ledger.hpp"
#include "support/goodness_of_fit.hpp"
#include "support/normals.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::noisy_regression_test {
namespace {

constexpr Eigen::Index kPredictors = 4;
constexpr double kMean = 0.3;  ///< of the response, where there is an intercept
const Vector kBeta = (Vector(kPredictors) << 1.0, -0.5, 0.25, 0.0).finished();

/// Correlated predictors, then the response, as one row-major-free matrix of columns x, y.
Matrix draw_rows(RandomStream& stream, Eigen::Index rows) {
  Matrix z = normals(stream, rows, kPredictors + 1);
  z.col(1) = 0.6 * z.col(0) + 0.8 * z.col(1);
  z.col(kPredictors) = z.leftCols(kPredictors) * kBeta + 0.7 * z.col(kPredictors).eval();
  return z;
}

/// With a leading column of ones, and a response that has a mean, on request.
Matrix with_ones(const Matrix& rows) {
  Matrix all(rows.rows(), rows.cols() + 1);
  all << Vector::Ones(rows.rows()), rows;
  all.rightCols(1).array() += kMean;
  return all;
}

std::vector<std::string> names_of(const Matrix& rows) {
  std::vector<std::string> names = {"a", "b", "c", "d", "y"};
  if (rows.cols() > kPredictors + 1) {
    names.insert(names.begin(), kInterceptColumn);
  }
  return names;
}

/// A p x p factor of the masked Gram would give the same law (tests/mechanism/mask_law_test.cpp).
ReleasedGram masked(RandomStream& stream, const Matrix& rows, double sigma) {
  ReleasedGram gram;
  gram.names = names_of(rows);
  gram.intercept = gram.names.front() == kInterceptColumn;
  gram.rows = static_cast<double>(rows.rows());
  gram.cell_sd = Vector::Constant(rows.cols(), sigma);
  const Matrix noisy = rows + sigma * normals(stream, rows.rows(), rows.cols());
  gram.products = noisy.transpose() * noisy;
  return gram;
}

/// The number of rows is public: no noise on the square of the column of ones.
ReleasedGram gaussian(RandomStream& stream, const Matrix& rows, double sd) {
  ReleasedGram gram;
  gram.names = names_of(rows);
  gram.intercept = gram.names.front() == kInterceptColumn;
  gram.rows = static_cast<double>(rows.rows());
  const Eigen::Index p = rows.cols();
  gram.entry_sd = Matrix::Constant(p, p, sd / std::sqrt(2.0));
  gram.entry_sd.diagonal().setConstant(sd);
  Matrix noise = normals(stream, p, p);
  noise = (sd * 0.5 * (noise + noise.transpose())).eval();
  if (gram.intercept) {
    gram.entry_sd(0, 0) = noise(0, 0) = 0.0;
  }
  gram.products = rows.transpose() * rows + noise;
  return gram;
}

RegressionRequest request(CoefficientTarget target) {
  return {"y", {"a", "b", "c", "d"}, 0.0, 0.95, target};
}

/// How often intervals hold the truth, of the coefficient of `a` and of the intercept, if any.
struct Coverage {
  std::size_t covered = 0;
  std::size_t intercept_covered = 0;
  std::size_t uncorrected_covered = 0;  ///< the broken twin: errors in variables ignored
  std::size_t narrow_covered = 0;       ///< the other one: intervals four fifths as wide
  std::size_t refused = 0;
};
constexpr std::size_t kReplications = 2000;

struct CoverageCase {
  Eigen::Index rows;
  bool intercept;
  CoefficientTarget target;
};

template <class Release>
Coverage coverage(const CoverageCase& wanted, std::string_view name, Release&& release) {
  RandomStream stream =
      RandomStream::seeded(seed_for(name) + static_cast<std::uint64_t>(wanted.rows));
  RegressionRequest model = request(wanted.target);
  const Eigen::Index first = wanted.intercept ? 1 : 0;
  if (wanted.intercept) {
    model.predictors.insert(model.predictors.begin(), kInterceptColumn);
  }
  Coverage result;
  for (std::size_t replication = 0; replication < kReplications; ++replication) {
    const Matrix drawn = draw_rows(stream, wanted.rows);
    const Matrix table = wanted.intercept ? with_ones(drawn) : drawn;
    const Result<Regression> fit = regress(release(stream, table), model);
    if (!fit) {
      result.refused += 1;
      continue;
    }
    const auto x = table.leftCols(table.cols() - 1);
    Vector truth(x.cols());
    if (wanted.target == CoefficientTarget::Population) {
      truth.head(first).setConstant(kMean);
      truth.tail(kPredictors) = kBeta;
    } else {
      truth = (x.transpose() * x).ldlt().solve(x.transpose() * table.rightCols(1));
    }
    const auto holds = [&](Eigen::Index j) {
      return fit->low[j] <= truth[j] && truth[j] <= fit->high[j];
    };
    const double half = 0.5 * (fit->high[first] - fit->low[first]);
    const double middle = 0.5 * (fit->high[first] + fit->low[first]);
    result.covered += holds(first) ? 1 : 0;
    result.intercept_covered += wanted.intercept && holds(0) ? 1 : 0;
    result.uncorrected_covered += std::abs(fit->uncorrected[first] - truth[first]) <= half ? 1 : 0;
    result.narrow_covered += std::abs(middle - truth[first]) <= 0.8 * half ? 1 : 0;
  }
  return result;
}

bool in_band(std::size_t covered, std::size_t replications, double alpha) {
  const std::array<double, 2> probabilities = {0.95, 0.05};
  const std::array<std::size_t, 2> counts = {covered, replications - covered};
  return cell_p_value(probabilities, counts) >= alpha;
}

/// n / p from 10 to 1000, both kinds of noise, both targets, with and without an intercept (whose
/// own interval has a band, too), and two moments: fewer than fifty bands share the rate.
constexpr double band_alpha() {
  return alpha_of("mechanism: regression coverage") / 50.0;
}

/// Refusals count as misses: the noise is chosen so that they are rare.
void expect_coverage(const Coverage& found, const CoverageCase& wanted) {
  SCOPED_TRACE(fmt::format("{} rows, intercept {}, target {}, refused {}", wanted.rows,
                           wanted.intercept, static_cast<int>(wanted.target), found.refused));
  EXPECT_TRUE(in_band(found.covered, kReplications, band_alpha())) << found.covered;
  EXPECT_FALSE(in_band(found.narrow_covered, kReplications, band_alpha())) << found.narrow_covered;
  if (wanted.intercept) {
    EXPECT_TRUE(in_band(found.intercept_covered, kReplications, band_alpha()))
        << found.intercept_covered;
  }
}

template <class Check>
void for_every_case(Check&& check) {
  for (const Eigen::Index rows : {50, 500, 5000}) {
    for (const bool intercept : {false, true}) {
      for (const CoefficientTarget target :
           {CoefficientTarget::Population, CoefficientTarget::RawData}) {
        check(CoverageCase{rows, intercept, target});
      }
    }
  }
}

TEST(RegressionCoverage, MaskedRowsHoldNinetyFivePercent) {
  for_every_case([](const CoverageCase& wanted) {
    // As much noise as signal where there are rows enough to see through it.
    const double sigma = wanted.rows > 1000 ? 1.0 : wanted.rows > 100 ? 0.5 : 0.2;
    const Coverage found = coverage(
        wanted, "regression.masked",
        [&](RandomStream& stream, const Matrix& table) { return masked(stream, table, sigma); });
    expect_coverage(found, wanted);
    if (wanted.rows > 100) {  // errors in variables pull the coefficient towards zero
      EXPECT_FALSE(in_band(found.uncorrected_covered, kReplications, band_alpha()));
    }
  });
}

TEST(RegressionCoverage, GaussianGramsHoldNinetyFivePercent) {
  for_every_case([](const CoverageCase& wanted) {
    // 0.06 n: the smallest direction of the predictors, 0.4 n, is about seven deviations away.
    const double sd = (wanted.rows > 100 ? 0.06 : 0.03) * static_cast<double>(wanted.rows);
    expect_coverage(coverage(wanted, "regression.gauss",
                             [&](RandomStream& stream, const Matrix& table) {
                               return gaussian(stream, table, sd);
                             }),
                    wanted);
  });
}

/// Where most releases are refused those that are not were lucky; still no more than one in twenty
/// of all releases gives an interval that misses.
TEST(RegressionCoverage, FewIntervalsMissWhereMostAreRefused) {
  const CoverageCase wanted{500, false, CoefficientTarget::RawData};
  const Coverage found =
      coverage(wanted, "regression.refused", [](RandomStream& stream, const Matrix& table) {
        return gaussian(stream, table, 0.12 * 500.0);
      });
  EXPECT_GT(found.refused, kReplications / 2);
  const std::size_t missed = kReplications - found.refused - found.covered;
  EXPECT_LT(missed, kReplications / 20) << "refused " << found.refused;
}

/// Columns measured from public midpoints: the intercept is that of the columns themselves.
TEST(RegressionCoverage, TheInterceptIsInOriginalUnits) {
  const Vector midpoints = (Vector(6) << 0.0, 40.0, -3.0, 0.5, 7.0, 1000.0).finished();
  RegressionRequest model = request(CoefficientTarget::RawData);
  model.predictors.insert(model.predictors.begin(), kInterceptColumn);
  RandomStream stream = RandomStream::seeded(seed_for("regression.original"));
  const Matrix moved = with_ones(draw_rows(stream, 500));
  Matrix table = moved;
  table.rowwise() += midpoints.transpose();
  const auto x = table.leftCols(5);
  const Vector truth = (x.transpose() * x).ldlt().solve(x.transpose() * table.col(5));
  std::size_t covered = 0;
  std::size_t from_midpoints = 0;  // the broken twin: as released before
  for (std::size_t replication = 0; replication < kReplications; ++replication) {
    ReleasedGram gram = gaussian(stream, moved, 20.0);
    const Regression twin = *regress(gram, model);
    gram.midpoints = midpoints;
    const Regression fit = *regress(gram, model);
    EXPECT_TRUE(fit.original_intercept);
    EXPECT_EQ(fit.low[1], twin.low[1]) << "slopes do not depend on where zero is";
    covered += fit.low[0] <= truth[0] && truth[0] <= fit.high[0] ? 1 : 0;
    from_midpoints += twin.low[0] <= truth[0] && truth[0] <= twin.high[0] ? 1 : 0;
  }
  EXPECT_TRUE(in_band(covered, kReplications, band_alpha())) << covered;
  EXPECT_FALSE(in_band(from_midpoints, kReplications, band_alpha())) << from_midpoints;
}

/// A covariance about a private mean: the intercept belongs to the model without being named, and
/// the noisy count has noise of its own.
TEST(RegressionCoverage, CenteredReleasesHoldNinetyFivePercent) {
  const CoverageCase wanted{500, true, CoefficientTarget::RawData};
  RandomStream stream = RandomStream::seeded(seed_for("regression.centered"));
  std::size_t covered = 0;
  std::size_t narrow = 0;  // the broken twin: noise of the count and the sums forgotten
  for (std::size_t replication = 0; replication < kReplications; ++replication) {
    Matrix table = with_ones(draw_rows(stream, wanted.rows));
    table.col(1).array() += 1.0;  // a mean far from the midpoint, which carries that noise over
    ReleasedGram gram = gaussian(stream, table, 12.0);
    double z = 0.0;
    fill_standard_normal(stream, {&z, 1});
    gram.entry_sd(0, 0) = 12.0;
    gram.products(0, 0) += 12.0 * z;
    gram.rows = gram.products(0, 0);
    gram.centered = true;
    const auto x = table.leftCols(kPredictors + 1);
    const Vector truth = (x.transpose() * x).ldlt().solve(x.transpose() * table.rightCols(1));
    const Result<Regression> fit = regress(gram, request(wanted.target));
    ASSERT_TRUE(fit);
    ASSERT_EQ(fit->names, request(wanted.target).predictors);
    covered += fit->low[0] <= truth[1] && truth[1] <= fit->high[0] ? 1 : 0;
    ReleasedGram forgetful = gram;
    forgetful.entry_sd.col(0).setZero();
    forgetful.entry_sd.row(0).setZero();
    const Result<Regression> wrong = regress(forgetful, request(wanted.target));
    narrow += wrong && wrong->low[0] <= truth[1] && truth[1] <= wrong->high[0] ? 1 : 0;
  }
  EXPECT_TRUE(in_band(covered, kReplications, band_alpha())) << covered;
  EXPECT_FALSE(in_band(narrow, kReplications, band_alpha())) << narrow;
}

TEST(Regression, WithoutNoiseIsLeastSquares) {
  RandomStream stream = RandomStream::seeded(seed_for("regression.exact"));
  const Matrix table = draw_rows(stream, 300);
  ReleasedGram gram = masked(stream, table, 1e-9);
  const Regression fit = *regress(gram, request(CoefficientTarget::Population));
  const auto x = table.leftCols(kPredictors);
  const Vector expected = (x.transpose() * x).ldlt().solve(x.transpose() * table.col(kPredictors));
  EXPECT_LT((fit.coefficients - expected).norm(), 1e-6);
  const Vector residual = table.col(kPredictors) - x * expected;
  EXPECT_NEAR(fit.residual_sd, std::sqrt(residual.squaredNorm() / (300.0 - kPredictors)), 1e-6);
  RegressionRequest ridge = request(CoefficientTarget::Population);
  ridge.ridge = 2.0;
  EXPECT_LT(regress(gram, ridge)->coefficients.norm(), 0.7 * expected.norm());
}

TEST(Regression, RefusesWhatNoiseHasDrowned) {
  RandomStream stream = RandomStream::seeded(seed_for("regression.refusal"));
  const Matrix table = draw_rows(stream, 200);
  const Result<Regression> drowned =
      regress(masked(stream, table, 4.0), request(CoefficientTarget::Population));
  ASSERT_FALSE(drowned);
  EXPECT_NE(drowned.error().message.find("no signal"), std::string::npos);
  const ReleasedGram fine = masked(stream, table, 0.1);
  RegressionRequest wrong = request(CoefficientTarget::Population);
  wrong.response = "z";
  EXPECT_FALSE(regress(fine, wrong));
  wrong = request(CoefficientTarget::Population);
  wrong.predictors = {"a", "y"};
  EXPECT_FALSE(regress(fine, wrong));
}

/// Before any noise is drawn: the errors that `regress` states on the same sums, taken apart.
TEST(Regression, PredictedErrorsAreThoseThatAreStated) {
  RandomStream stream = RandomStream::seeded(seed_for("regression.predicted"));
  constexpr double kSd = 12.0;
  ReleasedGram assumed = gaussian(stream, draw_rows(stream, 2000), kSd);
  const Result<PredictedRegression> predicted =
      predict_regression(assumed, request(CoefficientTarget::Population));
  ASSERT_TRUE(predicted);
  const Result<Regression> noise = regress(assumed, request(CoefficientTarget::RawData));
  ASSERT_TRUE(noise);
  ReleasedGram exact = assumed;
  exact.entry_sd.setZero();
  const Result<Regression> sampling = regress(exact, request(CoefficientTarget::Population));
  ASSERT_TRUE(sampling);
  EXPECT_LT((predicted->slopes - noise->coefficients).norm(), 1e-12);
  EXPECT_LT((predicted->noise - noise->standard_errors).norm(), 1e-12 * predicted->noise.norm());
  EXPECT_LT((predicted->sampling - sampling->standard_errors).norm(),
            1e-12 * predicted->sampling.norm());
  // In proportion to the noise, up to where `regress` refuses.
  ASSERT_GT(predicted->signal, kLeastSignal);
  for (const double factor : {0.999, 1.001}) {
    ReleasedGram louder = assumed;
    louder.entry_sd *= factor * predicted->signal / kLeastSignal;
    EXPECT_EQ(regress(louder, request(CoefficientTarget::RawData)).has_value(), factor < 1.0);
    const Result<PredictedRegression> scaled =
        predict_regression(louder, request(CoefficientTarget::RawData));
    ASSERT_TRUE(scaled);
    EXPECT_NEAR(scaled->noise[0] / predicted->noise[0], factor * predicted->signal / kLeastSignal,
                1e-9 * predicted->signal);
  }
}

TEST(Moments, IntervalsHoldNinetyFivePercent) {
  RandomStream stream = RandomStream::seeded(seed_for("moments.coverage"));
  const Matrix table = draw_rows(stream, 500);
  const Matrix truth = table.transpose() * table / 500.0;
  constexpr double kQuantile = 1.959963984540054;
  std::array<std::size_t, 2> covered{};
  std::array<std::size_t, 2> halved{};  // the broken twin: half of the standard error
  for (std::size_t replication = 0; replication < kReplications; ++replication) {
    const MomentEstimate found = second_moment(masked(stream, table, 0.5));
    for (const Eigen::Index j : {0, 1}) {
      const double error = std::abs(found.value(0, j) - truth(0, j)) / found.standard_error(0, j);
      covered[static_cast<std::size_t>(j)] += error <= kQuantile ? 1 : 0;
      halved[static_cast<std::size_t>(j)] += error <= 0.5 * kQuantile ? 1 : 0;
    }
  }
  for (const std::size_t j : {0U, 1U}) {
    EXPECT_TRUE(in_band(covered[j], kReplications, band_alpha())) << covered[j];
    EXPECT_FALSE(in_band(halved[j], kReplications, band_alpha())) << halved[j];
  }
}

/// Means of the raw rows, from masked rows and from a Gram with a noisy count (sd 12 each).
TEST(Moments, MeansHoldNinetyFivePercent) {
  constexpr double kQuantile = 1.959963984540054;
  for (const bool mask : {true, false}) {
    RandomStream stream = RandomStream::seeded(seed_for("moments.means") + (mask ? 1U : 0U));
    Matrix table = with_ones(draw_rows(stream, 500));
    table.col(1).array() += 1.0;  // so that the noise of the count shows
    const double truth = table.col(1).mean();
    std::size_t covered = 0;
    std::size_t halved = 0;  // the broken twin: half of the standard error
    for (std::size_t replication = 0; replication < kReplications; ++replication) {
      ReleasedGram gram = mask ? masked(stream, table, 0.5) : gaussian(stream, table, 12.0);
      if (!mask) {
        gram.entry_sd(0, 0) = 12.0;
        gram.rows = gram.products(0, 0) += 12.0 * normals(stream, 1, 1)(0, 0);
      }
      const MomentEstimate found = *covariance(gram);
      const double error = std::abs(found.mean[0] - truth) / found.mean_standard_error[0];
      covered += error <= kQuantile ? 1 : 0;
      halved += error <= 0.5 * kQuantile ? 1 : 0;
    }
    EXPECT_TRUE(in_band(covered, kReplications, band_alpha())) << mask << ' ' << covered;
    EXPECT_FALSE(in_band(halved, kReplications, band_alpha())) << mask << ' ' << halved;
  }
}

TEST(Moments, CovarianceNeedsACountAboveItsNoise) {
  RandomStream stream = RandomStream::seeded(seed_for("moments.count"));
  const Matrix table = with_ones(draw_rows(stream, 500));
  EXPECT_TRUE(covariance(masked(stream, table, 0.5)));
  const Result<MomentEstimate> drowned = covariance(masked(stream, table, 10.0));
  ASSERT_FALSE(drowned);
  EXPECT_NE(drowned.error().message.find("column of ones"), std::string::npos);
}

}  // namespace
}  // namespace eigenveil::test::noisy_regression_test
