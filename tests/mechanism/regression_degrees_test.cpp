// Intervals from a noisy Gram where the residual variance itself is noisy: few rows, small
// residuals. Student's quantile with n - k degrees, the broken twin, gives it no room.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <array>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "mechanism/mask/released_gram.hpp"
#include "support/alpha_ledger.hpp"
#include "support/normals.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::regression_degrees_test {
namespace {

constexpr double kMean = 0.3;

struct Setting {
  Eigen::Index rows;
  Eigen::Index predictors;
  double sd;  ///< of the noise on a diagonal entry of the Gram
  double residual;
  CoefficientTarget target;
  std::size_t replications = 4000;
};

/// A column of ones, predictors of which the second is correlated with the first, the response.
Matrix draw_rows(RandomStream& stream, const Setting& wanted, const Vector& beta) {
  Matrix table(wanted.rows, wanted.predictors + 2);
  table.col(0).setOnes();
  auto x = table.middleCols(1, wanted.predictors);
  x = normals(stream, wanted.rows, wanted.predictors);
  if (wanted.predictors > 1) {
    x.col(1) = (0.6 * x.col(0) + 0.8 * x.col(1)).eval();
  }
  table.rightCols(1) = table.leftCols(wanted.predictors + 1) * beta +
                       wanted.residual * normals(stream, wanted.rows, 1);
  return table;
}

ReleasedGram release(RandomStream& stream, const Matrix& table, double sd) {
  const Eigen::Index p = table.cols();
  ReleasedGram gram;
  gram.intercept = true;
  gram.rows = static_cast<double>(table.rows());
  gram.names = {kInterceptColumn};
  for (Eigen::Index j = 1; j + 1 < p; ++j) {
    gram.names.push_back(fmt::format("x{}", j));
  }
  gram.names.emplace_back("y");
  const Matrix square = normals(stream, p, p);
  Matrix noise = sd * 0.5 * (square + square.transpose());
  gram.entry_sd = Matrix::Constant(p, p, sd / std::sqrt(2.0));
  gram.entry_sd.diagonal().setConstant(sd);
  gram.entry_sd(0, 0) = noise(0, 0) = 0.0;  // the number of rows is public
  gram.products = table.transpose() * table + noise;
  return gram;
}

/// Of the intercept and of the first slope.
struct Covered {
  std::array<std::size_t, 2> ours{};
  std::array<std::size_t, 2> of_rows_alone{};  ///< Student's with n - k degrees
};

Covered coverage(const Setting& wanted) {
  RandomStream stream = RandomStream::seeded(
      seed_for(fmt::format("regression.degrees {} {} {} {} {}", wanted.rows, wanted.predictors,
                           wanted.sd, wanted.residual, static_cast<int>(wanted.target))));
  Vector beta = Vector::Zero(wanted.predictors + 1);
  beta.head(2) << kMean, 1.0;
  if (wanted.predictors > 1) {
    beta.segment(2, 2) << -0.5, 0.25;
  }
  const double student = boost::math::quantile(
      boost::math::students_t(static_cast<double>(wanted.rows - wanted.predictors - 1)), 0.975);
  Covered result;
  for (std::size_t replication = 0; replication < wanted.replications; ++replication) {
    const Matrix table = draw_rows(stream, wanted, beta);
    const ReleasedGram gram = release(stream, table, wanted.sd);
    RegressionRequest model{"y", gram.names, 0.0, 0.95, wanted.target};
    model.predictors.pop_back();
    const Result<Regression> fit = regress(gram, model);
    if (!fit) {
      continue;  // a refusal counts as a miss
    }
    const auto x = table.leftCols(wanted.predictors + 1);
    const Vector truth =
        wanted.target == CoefficientTarget::Population
            ? beta
            : Vector((x.transpose() * x).ldlt().solve(x.transpose() * table.rightCols(1)));
    for (const Eigen::Index j : {0, 1}) {
      const auto at = static_cast<std::size_t>(j);
      result.ours[at] += fit->low[j] <= truth[j] && truth[j] <= fit->high[j] ? 1 : 0;
      const double error = std::abs(fit->coefficients[j] - truth[j]);
      result.of_rows_alone[at] += error <= student * fit->standard_errors[j] ? 1 : 0;
    }
  }
  return result;
}

/// Exact: of intervals that hold the truth 95 times in 100, how often so few would.
bool holds_level(std::size_t covered, const Setting& wanted) {
  constexpr double kLimits = 200.0;  // two coefficients of fewer than a hundred settings
  const boost::math::binomial law(static_cast<double>(wanted.replications), 0.95);
  return boost::math::cdf(law, static_cast<double>(covered)) >=
         alpha_of("mechanism: regression with few rows") / kLimits;
}

void expect_level(const Setting& wanted) {
  const Covered found = coverage(wanted);
  for (const std::size_t j : {0U, 1U}) {
    EXPECT_TRUE(holds_level(found.ours[j], wanted))
        << fmt::format("rows {} predictors {} sd {} residual {} target {} coefficient {}: {}",
                       wanted.rows, wanted.predictors, wanted.sd, wanted.residual,
                       static_cast<int>(wanted.target), j, found.ours[j]);
  }
}

TEST(RegressionDegrees, HoldTheLevelForManyAndFewRows) {
  for (const Eigen::Index rows : {30, 100, 1000}) {
    for (const Eigen::Index predictors : {1, 4}) {
      for (const double level : {0.5, 1.0, 2.0}) {
        // The same noise relative to the Gram; several predictors have smaller directions.
        const double sd = level * static_cast<double>(rows) / (predictors > 1 ? 120.0 : 30.0);
        const std::size_t replications = rows > 100 ? 1000 : 4000;
        for (const double residual : {0.3, 1.0}) {
          expect_level(
              {rows, predictors, sd, residual, CoefficientTarget::Population, replications});
        }
        expect_level({rows, predictors, sd, 0.3, CoefficientTarget::RawData, replications});
      }
    }
  }
}

/// What the intervals were before: too short just where the residual variance is not known.
TEST(RegressionDegrees, OfTheRowsAloneAreTooMany) {
  for (const Setting& wanted : {Setting{30, 1, 1.0, 0.3, CoefficientTarget::Population, 20'000},
                                Setting{30, 4, 0.5, 0.3, CoefficientTarget::Population, 20'000}}) {
    const Covered found = coverage(wanted);
    for (const std::size_t j : {0U, 1U}) {
      EXPECT_TRUE(holds_level(found.ours[j], wanted)) << found.ours[j];
      EXPECT_FALSE(holds_level(found.of_rows_alone[j], wanted)) << found.of_rows_alone[j];
    }
  }
}

}  // namespace
}  // namespace eigenveil::test::regression_degrees_test
