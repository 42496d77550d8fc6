// The adaptive mechanism: calibration noise and margins, budget, outcomes.
#include "mechanism/sharp/sharp.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "audit/binomial_bounds.hpp"
#include "mechanism/sharp/sharp_privacy.hpp"
#include "statistics/gram_support.hpp"
#include "support/alpha_ledger.hpp"
#include "support/goodness_of_fit.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::sharp_test {
namespace {

constexpr double kRows = 20'000.0;

Vector spectrum() {
  Vector values = Vector::LinSpaced(200, 1.0, 0.2);
  values.head(2) << 8.0, 4.0;
  return values;
}

TEST(AdaptiveCalibration, StatisticsAreThoseOfTheSource) {
  const SharpPrivacy sharp = *SharpPrivacy::make(spectrum(), kRows, 2);
  const CalibrationStatistics statistics = calibration_statistics(spectrum(), kRows, 2, 0.5);
  EXPECT_NEAR(statistics.scaled_gap, std::pow(sharp.theta(), 2) * sharp.gap(), 1e-9);
  EXPECT_NEAR(statistics.threshold, sharp.threshold(), 1e-12);
  EXPECT_NEAR(statistics.plateau_mu2, std::pow(sharp.mu_min(), 2), 1e-12);
  EXPECT_NEAR(statistics.scaled_gap_sd, std::sqrt(6.0) * kRows / (0.5 * 4e4), 1e-9);
  EXPECT_NEAR(statistics.threshold_sd, std::sqrt(3.0) * 200.0 * -sharp.slope() / (0.5 * kRows),
              1e-12);
}

TEST(AdaptiveCalibration, NoiseHasTheStatedLaw) {
  const CalibrationStatistics statistics = calibration_statistics(spectrum(), kRows, 2, 0.5);
  RandomStream stream = RandomStream::seeded(seed_for("sharp.calibration"));
  std::vector<double> gaps;
  for (int i = 0; i < 20'000; ++i) {
    gaps.push_back(add_calibration_noise(statistics, stream).scaled_gap);
  }
  const auto law = [&](double sd) {
    const boost::math::normal normal(statistics.scaled_gap, sd);
    // Positive parts put an atom at zero, far out here.
    return [normal](double x) { return cdf(normal, x); };
  };
  const double limit = dkw_limit(gaps.size(), alpha_of("mechanism: calibration noise"));
  EXPECT_LT(kolmogorov_distance(gaps, law(statistics.scaled_gap_sd)), limit);
  EXPECT_GT(kolmogorov_distance(gaps, law(1.3 * statistics.scaled_gap_sd)), limit);
}

/// How often the achieved mu is above the target, and how often something is released.
struct Share {
  std::uint64_t exceeded = 0;
  std::uint64_t released = 0;
};
Share simulate(double nu, double target, double margin, int runs) {
  const SharpPrivacy sharp = *SharpPrivacy::make(spectrum(), kRows, 2);
  const CalibrationStatistics statistics = calibration_statistics(spectrum(), kRows, 2, nu);
  RandomStream stream = RandomStream::seeded(seed_for("sharp.margins"));
  Share share;
  for (int i = 0; i < runs; ++i) {
    const std::optional<double> beta = calibrated_beta(add_calibration_noise(statistics, stream),
                                                       {200.0, kRows, nu, target, margin});
    if (beta) {
      ++share.released;
      share.exceeded += sharp.mu(*beta).value_or(0.0) > target ? 1U : 0U;
    }
  }
  return share;
}

TEST(AdaptiveCalibration, MarginsKeepTheTargetAndThePlugInDoesNot) {
  constexpr int kRuns = 5'000;
  const Share with = simulate(0.5, 1.0, 3.0, kRuns);
  const Share without = simulate(0.5, 1.0, 0.0, kRuns);
  const double alpha = alpha_of("mechanism: calibration margins");
  EXPECT_GT(with.released, static_cast<std::uint64_t>(kRuns / 2));
  // Two statistics at 3 sd each: at most 2 * 0.00135 by the union bound, and 0.01 to be refuted.
  EXPECT_LT(binomial_lower(with.exceeded, kRuns, alpha), 0.01);
  EXPECT_GT(binomial_lower(without.exceeded, kRuns, alpha), 0.3);
}

TEST(AdaptiveCalibration, UnreachableTargetsAreAnOutcome) {
  EXPECT_FALSE(calibrated_beta({1.0, 0.1, 0.5}, {200.0, kRows, 0.5, 0.1, 3.0}));
  // Margins beyond the gap leave beta at or below the noisy threshold.
  EXPECT_FALSE(calibrated_beta({0.1, 0.1, 1e-4}, {200.0, kRows, 0.1, 1.0, 3.0}));
  EXPECT_TRUE(calibrated_beta({0.1, 0.1, 1e-4}, {200.0, kRows, 0.1, 1.0, 0.0}));
  // A tie behind component k is no failure.
  const CalibrationStatistics tied = calibration_statistics(Vector::Ones(5), 100.0, 2, 1.0);
  EXPECT_TRUE(std::isfinite(tied.threshold_sd) && std::isfinite(tied.plateau_mu2));
}

/// Rows along the first two axes in turn, longer along the first, with a little of everything else.
ExactGram striped_table(const RowBound& bound, int rows) {
  std::vector<double> values;
  for (int i = 0; i < rows; ++i) {
    std::vector<double> row(bound.dimension(), 0.0);
    row[static_cast<std::size_t>(i) % 3 == 0 ? 1 : 0] = i % 2 == 0 ? 0.9 : -0.9;
    row[2 + static_cast<std::size_t>(i) % (row.size() - 2)] += 0.2;
    values.insert(values.end(), row.begin(), row.end());
  }
  return gram_of(bound, values);
}

SharpRequest request_of(const RowBound& bound, double mu) {
  const auto p = static_cast<Eigen::Index>(bound.dimension());
  return {bound, Vector::Ones(p), GaussianDp{mu}, Relation::AddRemove, 1, 2};
}

TEST(SharpPlan, TheBudgetAddsUpInSquares) {
  const RowBound bound = *RowBound::row_norm(20, 1.0);
  const SharpPlan plan = *SharpPlan::make(request_of(bound, 1.5));
  const double inside = std::get<GaussianDp>(plan.projection().guarantee().loss).mu;
  // The blur of what was drawn takes 2^-16 of the draw's mu² (docs/proofs/double_precision.md).
  const double drawn = std::pow(plan.draw_mu(), 2) / (1.0 - 0x1p-16);
  const double total = std::pow(plan.row_count_mu(), 2) + std::pow(plan.calibration_mu(), 2) +
                       drawn + inside * inside;
  EXPECT_LE(total, 2.25);
  EXPECT_NEAR(total, 2.25, 1e-9);
  EXPECT_EQ(plan.guarantee().basis, Basis::Asymptotic);
  EXPECT_EQ(std::get<GaussianDp>(plan.guarantee().loss).mu, 1.5);
}

TEST(SharpPlan, ReleasesASubspaceOrTheZeroMatrix) {
  const RowBound bound = *RowBound::row_norm(20, 1.0);
  const ExactGram gram = striped_table(bound, 3000);
  RandomStream stream = RandomStream::seeded(seed_for("sharp.release"));
  const auto good = SharpPlan::make(request_of(bound, 20.0))->run(gram, stream);
  ASSERT_TRUE(good);
  ASSERT_TRUE(good->settlement.beta);
  EXPECT_FALSE(good->release.value().is_null());
  EXPECT_NEAR((good->release.value().frame.transpose() * good->release.value().frame -
               Matrix::Identity(2, 2))
                  .norm(),
              0.0, 1e-6);
  EXPECT_NEAR(good->settlement.worst_case_epsilon,
              400.0 * *good->settlement.beta / (2.0 * good->settlement.rows), 1e-6);
  const auto hopeless = SharpPlan::make(request_of(bound, 0.001))->run(gram, stream);
  ASSERT_TRUE(hopeless);
  EXPECT_FALSE(hopeless->settlement.beta);
  EXPECT_TRUE(hopeless->release.value().is_null());
}

TEST(SharpPlan, RunsOnEveryTable) {
  const RowBound bound = *RowBound::row_norm(6, 1.0);
  RandomStream stream = RandomStream::seeded(seed_for("sharp.total"));
  for (const Eigen::Index k : {1, 4, 5}) {
    SharpRequest request = request_of(bound, 3.0);
    request.components = k;
    request.published = true;
    const SharpPlan plan = *SharpPlan::make(request);
    for (const int rows : {0, 1, 50}) {
      EXPECT_TRUE(plan.run(striped_table(bound, rows), stream)) << rows;
    }
  }
}

/// Ten equal variances just above the edge: hardly any proposal of the exact sampler is accepted.
TEST(SharpPlan, EndsWhereColumnsAreHardlyCaptured) {
  const RowBound bound = *RowBound::row_norm(200, 12.0);
  Vector variances = Vector::Constant(200, 0.25);
  SharpRequest request = request_of(bound, 0.2);
  request.components = 10;
  variances.head(10).setConstant(2.56);
  request.public_spectrum = variances * (200.0 / 144.0);
  variances.head(10).setConstant(0.81);
  RandomStream stream = RandomStream::seeded(seed_for("sharp.ends"));
  const Matrix frame = trusted::draw_sharp(*SharpPlan::make(request),
                                           5000.0 * Matrix(variances.asDiagonal()), 5000.0, stream);
  EXPECT_NEAR((frame.transpose() * frame - Matrix::Identity(10, 10)).norm(), 0.0, 1e-6);
}

TEST(SharpPlan, Refusals) {
  const RowBound bound = *RowBound::row_norm(6, 1.0);
  SharpRequest request = request_of(bound, 1.0);
  request.relation = Relation::ReplaceOne;
  EXPECT_FALSE(SharpPlan::make(request));
  request = request_of(bound, 1.0);
  request.components = 6;
  EXPECT_FALSE(SharpPlan::make(request));
  request = request_of(bound, 1.0);
  request.calibration_share = 0.9;
  EXPECT_FALSE(SharpPlan::make(request));
  request = request_of(bound, 1.0);
  request.budget = PureDp{1.0};
  EXPECT_FALSE(SharpPlan::make(request));
}

}  // namespace
}  // namespace eigenveil::test::sharp_test
