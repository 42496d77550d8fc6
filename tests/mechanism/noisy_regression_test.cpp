// Regression on released moments: intervals that cover, corrections that matter, refusals.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <array>
#include <cmath>

#include "eigenveil/mechanism/released_gram.hpp"
#include "eigenveil/random/normal.hpp"
#include "support/alpha_ledger.hpp"
#include "support/goodness_of_fit.hpp"
#include "support/seed.hpp"

namespace eigenveil::test {
namespace {

constexpr Eigen::Index kPredictors = 4;
const Vector kBeta = (Vector(kPredictors) << 1.0, -0.5, 0.25, 0.0).finished();

Matrix normals(RandomStream& stream, Eigen::Index rows, Eigen::Index columns) {
  Matrix values(rows, columns);
  fill_standard_normal(stream, {values.data(), static_cast<std::size_t>(values.size())});
  return values;
}

/// Correlated predictors, then the response, as one row-major-free matrix of columns x, y.
Matrix draw_rows(RandomStream& stream, Eigen::Index rows) {
  Matrix z = normals(stream, rows, kPredictors + 1);
  z.col(1) = 0.6 * z.col(0) + 0.8 * z.col(1);
  z.col(kPredictors) = z.leftCols(kPredictors) * kBeta + 0.7 * z.col(kPredictors).eval();
  return z;
}

ReleasedGram masked(RandomStream& stream, const Matrix& rows, double sigma) {
  ReleasedGram gram;
  gram.names = {"a", "b", "c", "d", "y"};
  gram.rows = static_cast<double>(rows.rows());
  gram.cell_sd = Vector::Constant(kPredictors + 1, sigma);
  const Matrix noisy = rows + sigma * normals(stream, rows.rows(), rows.cols());
  gram.products = noisy.transpose() * noisy;
  return gram;
}

ReleasedGram gaussian(RandomStream& stream, const Matrix& rows, double sd) {
  ReleasedGram gram;
  gram.names = {"a", "b", "c", "d", "y"};
  gram.rows = static_cast<double>(rows.rows());
  const Eigen::Index p = kPredictors + 1;
  gram.entry_sd = Matrix::Constant(p, p, sd / std::sqrt(2.0));
  gram.entry_sd.diagonal().setConstant(sd);
  const Matrix noise = normals(stream, p, p);
  gram.products = rows.transpose() * rows + sd * 0.5 * (noise + noise.transpose());
  return gram;
}

RegressionRequest request(CoefficientTarget target) {
  return {"y", {"a", "b", "c", "d"}, 0.0, 0.95, target};
}

struct Coverage {
  std::size_t covered = 0;
  std::size_t uncorrected_covered = 0;
  std::size_t replications = 0;
};

/// How often the interval of the first coefficient holds the truth, with and without correction.
template <class Release>
Coverage coverage(Eigen::Index rows, CoefficientTarget target, std::uint64_t seed,
                  Release&& release) {
  RandomStream stream = RandomStream::seeded(seed);
  Coverage result;
  for (int replication = 0; replication < 2000; ++replication) {
    const Matrix table = draw_rows(stream, rows);
    const ReleasedGram gram = release(stream, table);
    const Result<Regression> found = regress(gram, request(target));
    result.replications += 1;
    if (!found) {  // counts as a miss; the noise below is chosen so that this does not happen
      continue;
    }
    const Regression& fit = *found;
    const auto x = table.leftCols(kPredictors);
    const double truth =
        target == CoefficientTarget::Population
            ? kBeta[0]
            : Vector((x.transpose() * x).ldlt().solve(x.transpose() * table.col(kPredictors)))[0];
    const double half = 0.5 * (fit.high[0] - fit.low[0]);
    result.covered += fit.low[0] <= truth && truth <= fit.high[0] ? 1 : 0;
    result.uncorrected_covered += std::abs(fit.uncorrected[0] - truth) <= half ? 1 : 0;
  }
  return result;
}

bool in_band(std::size_t covered, std::size_t replications, double alpha) {
  const std::array<double, 2> probabilities = {0.95, 0.05};
  const std::array<std::size_t, 2> counts = {covered, replications - covered};
  return cell_p_value(probabilities, counts) >= alpha;
}

/// n / p from 10 to 1000, both kinds of noise, both targets, and two moments: fourteen bands share
/// the rate.
constexpr double band_alpha() {
  return alpha_of("mechanism: regression coverage") / 14.0;
}

TEST(RegressionCoverage, MaskedRowsHoldNinetyFivePercent) {
  for (const Eigen::Index rows : {50, 500, 5000}) {
    for (const CoefficientTarget target :
         {CoefficientTarget::Population, CoefficientTarget::RawData}) {
      const Coverage found =
          coverage(rows, target, seed_for("regression.masked") + static_cast<std::uint64_t>(rows),
                   [](RandomStream& stream, const Matrix& table) {
                     return masked(stream, table, table.rows() > 100 ? 0.5 : 0.2);
                   });
      EXPECT_TRUE(in_band(found.covered, found.replications, band_alpha()))
          << rows << ": " << found.covered;
      if (rows > 100) {  // errors in variables pull the coefficient towards zero
        EXPECT_FALSE(in_band(found.uncorrected_covered, found.replications, band_alpha()))
            << rows << ": " << found.uncorrected_covered;
      }
    }
  }
}

TEST(RegressionCoverage, GaussianGramsHoldNinetyFivePercent) {
  for (const Eigen::Index rows : {50, 500, 5000}) {
    for (const CoefficientTarget target :
         {CoefficientTarget::Population, CoefficientTarget::RawData}) {
      const Coverage found =
          coverage(rows, target, seed_for("regression.gauss") + static_cast<std::uint64_t>(rows),
                   [](RandomStream& stream, const Matrix& table) {
                     return gaussian(stream, table,
                                     0.03 * static_cast<double>(table.rows()) /
                                         (table.rows() > 100 ? 1.0 : 3.0));
                   });
      EXPECT_TRUE(in_band(found.covered, found.replications, band_alpha()))
          << rows << ": " << found.covered;
    }
  }
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

TEST(Moments, IntervalsHoldNinetyFivePercent) {
  RandomStream stream = RandomStream::seeded(seed_for("moments.coverage"));
  const Matrix table = draw_rows(stream, 500);
  const Matrix truth = table.transpose() * table / 500.0;
  constexpr double kQuantile = 1.959963984540054;
  std::array<std::size_t, 2> covered{};
  std::array<std::size_t, 2> halved{};  // the broken twin: half of the standard error
  constexpr std::size_t kReplications = 2000;
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

}  // namespace
}  // namespace eigenveil::test
