// Post-processing: what is computed from released moments, in the units the user asked for.
#include "mechanism/moment/covariance.hpp"

#include <gtest/gtest.h>

#include "mechanism/gauss/gauss.hpp"
#include "mechanism/moment/predicted_error.hpp"
#include "mechanism/moment/principal_components.hpp"
#include "random/haar.hpp"
#include "statistics/gram_support.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::covariance_test {
namespace {

/// A moment as if no noise had been drawn: rows (0, 1), (4, 3), (2, 5) with ranges 0..4 and 1..5.
NoisyMoment noiseless_moment() {
  const RowBound bound = *RowBound::ranges({{0.0, 4.0}, {1.0, 5.0}});
  Matrix scaled(3, 2);
  scaled << -1.0, -1.0, 1.0, 0.0, 0.0, 1.0;
  NoisyMoment moment{
      {{"a", "b"}}, bound, 3.0, false, Vector(scaled.colwise().sum()), scaled.transpose() * scaled};
  moment.off_diagonal_sd = 0.5;
  return moment;
}

TEST(Covariance, PrivateMeanInOriginalUnits) {
  const NoisyCovariance covariance =
      covariance_of(noiseless_moment(), Center::PrivateMean, Units::Original);
  // Rows (0, 1), (4, 3), (2, 5): means 2 and 3, variances 8/3, covariance 4/3.
  EXPECT_NEAR(covariance.mean[0], 2.0, 1e-14);
  EXPECT_NEAR(covariance.mean[1], 3.0, 1e-14);
  EXPECT_NEAR(covariance.raw(0, 0), 8.0 / 3.0, 1e-14);
  EXPECT_NEAR(covariance.raw(0, 1), 4.0 / 3.0, 1e-14);
  EXPECT_NEAR((covariance.psd - covariance.raw).norm(), 0.0, 1e-14);
}

TEST(Covariance, PublicMidpointAndScaledUnits) {
  const NoisyCovariance scaled =
      covariance_of(noiseless_moment(), Center::PublicMidpoint, Units::Scaled);
  EXPECT_NEAR(scaled.raw(0, 0), 2.0 / 3.0, 1e-14);
  EXPECT_NEAR(scaled.raw(0, 1), 1.0 / 3.0, 1e-14);
  const NoisyCovariance original =
      covariance_of(noiseless_moment(), Center::PublicMidpoint, Units::Original);
  EXPECT_NEAR(original.raw(0, 1), 4.0 / 3.0, 1e-14);
  EXPECT_NEAR(original.reach.floor, 4.0 * scaled.reach.floor, 1e-14);
  EXPECT_EQ(original.mean[1], 3.0);
}

/// Rows in one corner have a mean as long as the bound allows, rows in two opposite corners have
/// none; replace-one makes the row count public, so plan and release have the same floor but for
/// the noise in the released mean.
TEST(Covariance, PlannedNoiseFloorIsThatOfTheRelease) {
  const std::vector<ColumnRange> ranges = {{0.0, 4.0}, {0.0, 4.0}, {0.0, 4.0}};
  constexpr int kRows = 20'000;
  std::vector<double> values(std::size_t{3} * kRows, 4.0);
  for (const AssumedMean mean : {AssumedMean::AtBound, AssumedMean::AtCentre}) {
    if (mean == AssumedMean::AtCentre) {
      std::fill_n(values.begin(), values.size() / 2, 0.0);
    }
    for (const Extension extension : {Extension::Count, Extension::Full}) {
      const RowBound bound = *RowBound::ranges(ranges);
      const MomentPlan plan =
          *plan_gauss({bound, GaussianDp{1.0}, Relation::ReplaceOne, extension});
      RandomStream stream = RandomStream::seeded(seed_for("covariance.planned floor"));
      const Release<NoisyMoment> release = *plan.run(gram_of(bound, values), stream);
      EXPECT_DOUBLE_EQ(plan.sum_sd(), release.value().sum_sd);
      const bool full = extension == Extension::Full;
      for (const Units units : {Units::Original, Units::Scaled}) {
        const NoisyCovariance covariance = covariance_of(
            release.value(), full ? Center::PrivateMean : Center::PublicMidpoint, units);
        const double planned = planned_reach(plan, plan.bound(), units, kRows, mean).floor;
        // |m| is off by sum_sd / n times a normal vector of three entries: ten of them never
        // happen.
        const double of_mean = full ? 10.0 * plan.sum_sd() / kRows : 0.0;
        EXPECT_NEAR(covariance.reach.floor, planned, planned * (of_mean + 1e-12));
        EXPECT_LE(planned_reach(plan, plan.bound(), units, kRows).floor,
                  planned_reach(plan, plan.bound(), units, kRows, AssumedMean::AtBound).floor);
      }
    }
  }
}

TEST(Covariance, ANegativeCountIsTakenAsOne) {
  NoisyMoment moment = noiseless_moment();
  moment.count = -7.0;
  EXPECT_EQ(covariance_of(moment, Center::PublicMidpoint, Units::Scaled).count, 1.0);
}

TEST(Covariance, PsdIsTheNearestPositiveSemidefiniteMatrix) {
  NoisyMoment moment = noiseless_moment();
  moment.products << 1.0, 2.0, 2.0, 1.0;  // eigenvalues 3 and -1
  moment.count = 1.0;
  const NoisyCovariance covariance = covariance_of(moment, Center::PublicMidpoint, Units::Scaled);
  Matrix nearest(2, 2);
  nearest << 1.5, 1.5, 1.5, 1.5;
  EXPECT_NEAR((covariance.psd - nearest).norm(), 0.0, 1e-14);
  EXPECT_NEAR(covariance.eigenvalues[1], -1.0, 1e-14);
}

TEST(PrincipalComponents, OrderSignAndShare) {
  NoisyMoment moment = noiseless_moment();
  moment.products << 1.0, -2.0, -2.0, 1.0;
  moment.count = 1.0;
  const PrincipalComponents components =
      principal_components(covariance_of(moment, Center::PublicMidpoint, Units::Scaled), 2);
  EXPECT_NEAR(components.explained_variance[0], 3.0, 1e-14);
  EXPECT_EQ(components.explained_variance[1], 0.0);
  EXPECT_NEAR(components.explained_share[0], 1.0, 1e-14);
  EXPECT_NEAR(
      (components.loadings.transpose() * components.loadings - Matrix::Identity(2, 2)).norm(), 0.0,
      1e-14);
  for (Eigen::Index j = 0; j < 2; ++j) {
    Eigen::Index largest = 0;
    components.loadings.col(j).cwiseAbs().maxCoeff(&largest);
    EXPECT_GT(components.loadings(largest, j), 0.0);
  }
}

/// The prediction is first order: at small noise the measured error over many draws comes within
/// the relative size of the next term, noise / gap.
TEST(PredictedError, MatchesSmallNoise) {
  const Eigen::Index p = 6;
  Vector eigenvalues(p);
  eigenvalues << 5.0, 4.0, 1.0, 0.8, 0.5, 0.1;
  const double noise_sd = 1e-4;
  double expected = 0.0;
  for (Eigen::Index i = 0; i < 2; ++i) {
    for (Eigen::Index j = 2; j < p; ++j) {
      expected += 2.0 * std::pow(noise_sd / (eigenvalues[i] - eigenvalues[j]), 2.0);
    }
  }
  EXPECT_NEAR(predicted_subspace_error(eigenvalues, 2, noise_sd) / expected, 1.0, 1e-12);
  EXPECT_EQ(predicted_subspace_error(eigenvalues, 2, 1e9), 4.0);
  EXPECT_EQ(predicted_subspace_error(Vector::Ones(4), 1, 1e-9), 2.0);
}

}  // namespace
}  // namespace eigenveil::test::covariance_test
