// The formulas of sharp privacy against their definitions and each other.
#include "mechanism/sharp/sharp_privacy.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace eigenveil::test::sharp_privacy_test {
namespace {

Vector spectrum(Eigen::Index p) {
  Vector values(p);
  for (Eigen::Index i = 0; i < p; ++i) {
    values[i] = 1.2 - static_cast<double>(i) / static_cast<double>(p);
  }
  values.head(3) << 15.0, 10.0, 6.0;
  return values;
}

constexpr double kRows = 2504.0;

TEST(EmpiricalHilbert, IsTheSumWithDivisorP) {
  Vector values(4);
  values << 5.0, 3.0, 1.0, 0.5;
  const EmpiricalHilbert hilbert(values, 2);
  EXPECT_DOUBLE_EQ(hilbert.value(3.0), (1.0 / 2.0 + 1.0 / 2.5) / 4.0);
  EXPECT_DOUBLE_EQ(hilbert.derivative(3.0), -(1.0 / 4.0 + 1.0 / 6.25) / 4.0);
  EXPECT_DOUBLE_EQ(hilbert.second_derivative(3.0), 2.0 * (1.0 / 8.0 + 1.0 / 15.625) / 4.0);
  EXPECT_DOUBLE_EQ(hilbert.kernel(5.0, 3.0), (1.0 / 8.0 + 1.0 / (4.5 * 2.5)) / 4.0);
}

TEST(SharpPrivacy, PublishedEpsilonsOfThePaper) {
  const SharpPrivacy sharp = *SharpPrivacy::make(spectrum(200), kRows, 2);
  EXPECT_NEAR(sharp.published_epsilon(0.01), 0.16, 0.005);
  EXPECT_NEAR(sharp.published_epsilon(0.2), 3.19, 0.005);
  EXPECT_NEAR(sharp.published_epsilon(1.2), 19.17, 0.005);
  EXPECT_DOUBLE_EQ(sharp.worst_case_epsilon(1.2), sharp.published_epsilon(1.2) / 2.0);
  EXPECT_NEAR(sharp.theta(), 0.8853, 1e-4);
}

TEST(SharpPrivacy, BetaInvertsMuAndThePlateauIsContinuous) {
  for (const Eigen::Index k : {1, 2, 3}) {
    const SharpPrivacy sharp = *SharpPrivacy::make(spectrum(200), kRows, k);
    for (const double factor : {1.0, 1.5, 4.0, 30.0}) {
      const double target = factor * sharp.mu_min();
      EXPECT_NEAR(*sharp.mu(*sharp.beta(target)), target, 1e-9 * target);
    }
    EXPECT_FALSE(sharp.beta(0.99 * sharp.mu_min()));
    EXPECT_FALSE(sharp.mu(sharp.threshold()));
    EXPECT_NEAR(*sharp.mu(sharp.plateau_end() * (1.0 + 1e-9)), sharp.mu_min(), 1e-6);
    EXPECT_EQ(*sharp.mu(0.5 * (sharp.threshold() + sharp.plateau_end())), sharp.mu_min());
    EXPECT_GT(*sharp.mu(2.0 * sharp.plateau_end()), sharp.mu_min());
  }
}

/// E / sqrt(p) = x x' / n for a row in the plane of u_k and u_(k+1).
double variance_of_row(const SharpPrivacy& sharp, Eigen::Index k, double beta, double weight) {
  const double p = sharp.dimension();
  Vector row = Vector::Zero(static_cast<Eigen::Index>(p));
  row[k - 1] = std::sqrt(p * weight);
  row[k] = std::sqrt(p * (1.0 - weight));
  return sharp.ratio_variance(beta, std::sqrt(p) / kRows * row * row.transpose());
}

TEST(SharpPrivacy, MuIsTheLargestVarianceOverRows) {
  for (const Eigen::Index k : {1, 2, 3}) {
    const SharpPrivacy sharp = *SharpPrivacy::make(spectrum(200), kRows, k);
    for (const double beta : {1.01 * sharp.threshold(), sharp.plateau_end(), 1.0, 5.0}) {
      const double mu2 = std::pow(*sharp.mu(beta), 2);
      const double attained = variance_of_row(sharp, k, beta, sharp.worst_case_weight(beta));
      EXPECT_NEAR(attained, mu2, 1e-9 * mu2);
      for (double weight = 0.0; weight <= 1.0; weight += 0.05) {
        EXPECT_LE(variance_of_row(sharp, k, beta, weight), mu2 * (1.0 + 1e-9));
      }
    }
  }
}

TEST(SharpPrivacy, ErrorsHavePhaseTransitions) {
  const SharpPrivacy sharp = *SharpPrivacy::make(spectrum(200), kRows, 3);
  const Vector& at = sharp.phase_transitions();
  EXPECT_EQ(sharp.error_operator2(0.5 * at[2]), 1.0);
  EXPECT_EQ(sharp.error_frobenius2(0.5 * at[0]), 6.0);
  EXPECT_NEAR(sharp.error_operator2(2.0 * at[2]), 0.5, 1e-12);
  EXPECT_NEAR(sharp.renyi(5.0, 3.0), 1.5 * std::pow(*sharp.mu(5.0), 2), 1e-12);
}

TEST(SharpPrivacy, ShorterRowsScaleMuAndEpsilon) {
  const SharpPrivacy whole = *SharpPrivacy::make(spectrum(200), kRows, 2);
  const SharpPrivacy short_rows = *SharpPrivacy::make(spectrum(200), kRows, 2, 0.4);
  EXPECT_NEAR(*short_rows.mu(3.0), 0.4 * *whole.mu(3.0), 1e-12);
  EXPECT_NEAR(short_rows.worst_case_epsilon(3.0), 0.4 * whole.worst_case_epsilon(3.0), 1e-12);
  EXPECT_NEAR(*short_rows.mu(*short_rows.beta(1.0)), 1.0, 1e-9);
}

/// With a bulk at zero the integral over the sphere is a confluent hypergeometric function,
/// 1F1(1/2; p/2; p β λ / 2): summed as a series of positive terms.
TEST(SharpPrivacy, SphericalIntegralRateIsTheLimit) {
  constexpr Eigen::Index kDimension = 4000;
  Vector values = Vector::Zero(kDimension);
  values[0] = 2.0;
  const SharpPrivacy sharp = *SharpPrivacy::make(values, kRows, 1);
  const double p = kDimension;
  for (const double beta : {1.0, 2.0, 4.0}) {
    const double x = 0.5 * p * beta * values[0];
    double log_term = 0.0;
    double largest = 0.0;
    std::vector<double> terms{0.0};
    for (int j = 0; j < 60'000; ++j) {
      log_term += std::log((0.5 + j) / (0.5 * p + j) * x / (j + 1.0));
      terms.push_back(log_term);
      largest = std::max(largest, log_term);
    }
    double sum = 0.0;
    for (const double term : terms) {
      sum += std::exp(term - largest);
    }
    const double rate = (largest + std::log(sum)) / p;
    EXPECT_NEAR(sharp.spherical_integral_rate(beta), rate, 4.0 * std::log(p) / p) << beta;
  }
}

TEST(SharpPrivacy, Refusals) {
  EXPECT_FALSE(SharpPrivacy::make(spectrum(10), kRows, 10));
  EXPECT_FALSE(SharpPrivacy::make(Vector::Ones(5), kRows, 2));
  EXPECT_FALSE(SharpPrivacy::make(spectrum(10), 0.0, 1));
  EXPECT_FALSE(SharpPrivacy::make(spectrum(10).reverse(), kRows, 1));
}

}  // namespace
}  // namespace eigenveil::test::sharp_privacy_test
