// Correlations after the noise: post-processing by a public rule, which never fails.
#include "mechanism/moment/correlation.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace eigenveil::test::correlation_test {
namespace {

/// A moment about the centre with these variances; the noise has standard deviation 1 on sums.
NoisyMoment moment_with(const Matrix& products, double rows) {
  const auto p = static_cast<std::size_t>(products.rows());
  NoisyMoment moment{Schema::numbered(p),
                     *RowBound::ranges(std::vector<ColumnRange>(p, {-2.0, 2.0})),
                     rows,
                     true,
                     Vector::Zero(products.rows()),
                     products};
  moment.product_sd = 1.0;
  moment.off_diagonal_sd = std::sqrt(0.5);
  return moment;
}

TEST(Correlation, DividesByReleasedVariances) {
  Matrix products(2, 2);
  products << 400.0, 120.0, 120.0, 100.0;
  const NoisyCorrelation found = correlation_of(
      raw_covariance(moment_with(products, 1000.0), Center::PrivateMean, Units::Original));
  EXPECT_EQ(found.columns, (std::vector<Eigen::Index>{0, 1}));
  EXPECT_NEAR(found.standardised.raw(0, 1), 0.6, 1e-14);
  EXPECT_NEAR(found.deviations[0], std::sqrt(0.4 * 4.0), 1e-14);
  // Entry noise sqrt(.5) over both deviations of the sums, 2 max(d) |d| of d = 1 / deviation.
  const double d1 = 1.0 / 20.0;
  const double d2 = 1.0 / 10.0;
  EXPECT_NEAR(found.standardised.reach.norm, 2.0 * std::sqrt(0.5) * d2 * std::hypot(d1, d2), 1e-14);
  const PrincipalComponents components = correlation_components(found, 2);
  EXPECT_NEAR(components.explained_variance[0], 1.6, 1e-13);
  EXPECT_NEAR(components.total_variance, 2.0, 1e-14);
  // Units do not matter.
  const NoisyCorrelation scaled = correlation_of(
      raw_covariance(moment_with(products, 1000.0), Center::PrivateMean, Units::Scaled));
  EXPECT_NEAR(scaled.standardised.raw(0, 1), 0.6, 1e-14);
}

TEST(Correlation, AColumnInLargeUnitsHidesNoDirection) {
  Matrix products(2, 2);
  products << 400.0, 0.0, 0.0, 300.0;
  NoisyMoment moment = moment_with(products, 1000.0);
  moment.bound = *RowBound::ranges({{-1000.0, 1000.0}, {-1.0, 1.0}});
  const NoisyCovariance covariance =
      raw_covariance(std::move(moment), Center::PublicMidpoint, Units::Original);
  EXPECT_LT(covariance.raw(1, 1), covariance.reach.floor) << "in the largest unit squared";
  const ScaledDirections scaled = scaled_directions(covariance);
  EXPECT_NEAR(scaled.eigenvalues[0], 0.4, 1e-14);
  EXPECT_NEAR(scaled.eigenvalues[1], 0.3, 1e-14);
  const double quantile = 2.0 * std::sqrt(2.0) + std::pow(2.0, -1.0 / 6.0);
  EXPECT_NEAR(scaled.reach.floor, quantile * std::sqrt(0.5) / 1000.0, 1e-15);
}

TEST(Correlation, LeavesOutWhatIsWithinNoise) {
  Matrix products = Matrix::Zero(3, 3);
  products.diagonal() << 400.0, 2.5, -7.0;  // 3 standard deviations are needed
  const NoisyCorrelation found = correlation_of(
      raw_covariance(moment_with(products, 1000.0), Center::PublicMidpoint, Units::Original));
  EXPECT_EQ(found.columns, std::vector<Eigen::Index>{0});
  EXPECT_TRUE(std::isnan(found.deviations[1]));
  const PrincipalComponents components = correlation_components(found, 3);
  EXPECT_EQ(components.loadings(0, 0), 1.0);
  EXPECT_NEAR(
      (components.loadings.transpose() * components.loadings - Matrix::Identity(3, 3)).norm(), 0.0,
      1e-14);
  EXPECT_EQ(components.explained_variance[1], 0.0);
  EXPECT_LT(components.explained_variance[2], components.noise_edge[2]);
}

TEST(Correlation, OfNoColumnAtAll) {
  const NoisyCorrelation found = correlation_of(
      raw_covariance(moment_with(Matrix::Zero(2, 2), 0.0), Center::PrivateMean, Units::Original));
  EXPECT_TRUE(found.columns.empty());
  const PrincipalComponents components = correlation_components(found, 2);
  EXPECT_EQ(components.loadings, Matrix(Matrix::Identity(2, 2)));
}

}  // namespace
}  // namespace eigenveil::test::correlation_test
