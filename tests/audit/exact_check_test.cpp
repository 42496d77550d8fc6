// Where outputs can be listed nothing is estimated: rounded noise on a tiny grid, all data sets of
// a tiny domain, all neighbours.
#include "audit/exact_check.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/laplace.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "audit/binomial_bounds.hpp"
#include "eigenveil/privacy/conversion.hpp"

namespace eigenveil::test::exact_check_test {
namespace {

/// Law of round(statistic + noise) on -kReach..kReach, with the tails in the outermost outputs.
/// The statistic of data sets with up to four rows x in {0, 1, 2}: the sum of x^2, sensitivity 4.
constexpr int kReach = 120;

template <class Noise>
OutputLaw rounded_law(double statistic, const Noise& noise) {
  OutputLaw law;
  for (int output = -kReach; output <= kReach; ++output) {
    const double above = output == kReach ? 0.0 : cdf(complement(noise, output + 0.5 - statistic));
    const double from = output == -kReach ? 1.0 : cdf(complement(noise, output - 0.5 - statistic));
    law.push_back(from - above);
  }
  return law;
}

struct TinyDomain {
  std::vector<std::vector<int>> tables;  ///< sorted rows
  TinyDomain() {
    for (int zeros = 0; zeros <= 3; ++zeros) {
      for (int ones = 0; ones <= 3; ++ones) {
        for (int twos = 0; twos <= 3; ++twos) {
          tables.push_back({zeros, ones, twos});
        }
      }
    }
  }
  double statistic(std::size_t i) const { return tables[i][1] + 4.0 * tables[i][2]; }
  /// One row more or less of any kind.
  bool add_remove(std::size_t i, std::size_t j) const {
    int changes = 0;
    for (std::size_t kind = 0; kind < 3; ++kind) {
      changes += std::abs(tables[i][kind] - tables[j][kind]);
    }
    return changes == 1;
  }
};

template <class Noise>
double delta_of(const Noise& noise, double epsilon) {
  const TinyDomain domain;
  std::vector<OutputLaw> laws;
  for (std::size_t i = 0; i < domain.tables.size(); ++i) {
    laws.push_back(rounded_law(domain.statistic(i), noise));
  }
  return exact_delta(
      laws, [&](std::size_t i, std::size_t j) { return domain.add_remove(i, j); }, epsilon);
}

/// Sum of at most 241 differences of correctly rounded probabilities: their floating-point error.
constexpr double kArithmetic = 241 * 4 * 2.3e-16;

TEST(ExactCheck, RoundedLaplaceIsPurelyPrivate) {
  for (const double epsilon : {0.3, 1.0, 2.5}) {
    EXPECT_LE(delta_of(boost::math::laplace(0.0, 4.0 / epsilon), epsilon), kArithmetic);
    EXPECT_GT(delta_of(boost::math::laplace(0.0, 0.9 * 4.0 / epsilon), epsilon), 1e-3)
        << "noise x 0.9 passes";
    EXPECT_GT(delta_of(boost::math::laplace(0.0, 2.0 / epsilon), epsilon), 1e-2)
        << "the sensitivity of x instead of x^2 passes";
  }
}

TEST(ExactCheck, RoundedGaussianKeepsItsCurve) {
  for (const double mu : {0.5, 1.0, 2.0}) {
    for (const double epsilon : {0.0, 0.5, 1.0, 3.0}) {
      const double claimed = delta_at(GaussianDp{mu}, epsilon);
      EXPECT_LE(delta_of(boost::math::normal(0.0, 4.0 / mu), epsilon), claimed + kArithmetic);
      EXPECT_GT(delta_of(boost::math::normal(0.0, 0.9 * 4.0 / mu), epsilon), claimed)
          << "noise x 0.9 passes";
    }
  }
}

TEST(BinomialBounds, AreExact) {
  // No success in n trials: the upper bound u solves (1 - u)^n = error.
  EXPECT_NEAR(binomial_upper(0, 100, 1e-3), 1.0 - std::pow(1e-3, 0.01), 1e-12);
  EXPECT_EQ(binomial_lower(0, 100, 1e-3), 0.0);
  EXPECT_EQ(binomial_upper(100, 100, 1e-3), 1.0);
  EXPECT_NEAR(binomial_lower(100, 100, 1e-3), std::pow(1e-3, 0.01), 1e-12);
  // At the lower bound l of 1 success in 2, P(at least 1 of 2) = 1 - (1 - l)^2 = error.
  const double lower = binomial_lower(1, 2, 0.1);
  EXPECT_NEAR(1.0 - (1.0 - lower) * (1.0 - lower), 0.1, 1e-12);
}

}  // namespace
}  // namespace eigenveil::test::exact_check_test
