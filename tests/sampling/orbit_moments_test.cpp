// Mean and variance of tr(YH), and every E H_aa, against the HCIZ determinant.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sampling/orbit_reference.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::orbit_moments_test {
namespace {

struct Case {
  const char* name;
  std::vector<double> diagonal;
  std::vector<double> spectrum;
  double exponent;
  std::vector<OrbitMethod (*)(const OrbitLaw&)> methods;

  OrbitLaw law() const { return {vector_of(diagonal), vector_of(spectrum), exponent}; }
};

std::vector<double> ladder(std::size_t size, double step) {
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) {
    values[i] = 1.0 - step * static_cast<double>(i) - 0.01 * static_cast<double>(i * i % 7);
  }
  return values;
}

std::vector<Case> cases() {
  const auto projector = {block_method, angular_method, coupling_method, cascade_method};
  const auto distinct = {vertex_method, coupling_method, cascade_method};
  const auto general = {coupling_method, cascade_method};
  return {
      {"d2 full", {1.0, 0.2}, {1.5, 0.5}, 3.0, distinct},
      {"d3 vector", {1.0, 0.7, 0.1}, {2.0}, 2.0, projector},
      {"d3 distinct", {1.0, 0.5, 0.0}, {3.0, 1.5, 0.2}, 2.0, distinct},
      {"d4 projector", {1.0, 0.8, 0.3, 0.0}, {1.0, 1.0}, 6.0, projector},
      {"d4 repeated full", {0.9, 0.5, 0.3, 0.1}, {2.0, 2.0, 2.0, 0.7}, 3.0, general},
      {"d5 partly zero", ladder(5, 0.2), {1.0, 1.0, 0.4, 0.0, 0.0}, 5.0, general},
      {"d5 wide projector", ladder(5, 0.2), {1.0, 1.0, 1.0, 1.0}, 5.0, projector},
      {"d5 peaked", ladder(5, 0.25), {2.0, 1.2, 0.5}, 30.0, distinct},
      {"d6 near ties",
       {1.0, 1.0 - 1e-12, 0.4, 0.4 - 1e-13, 0.1, 0.0},
       {1.0, 1.0 - 1e-13, 0.3},
       4.0,
       general},
      {"d6 tied cut",
       {1.0, 0.5, 0.5 - 1e-12, 0.5 - 2e-12, 0.0, -0.2},
       {0.8, 0.8},
       8.0,
       {block_method, coupling_method, cascade_method}},
      {"d8 signal",
       {1.0, 0.95, 0.9, 0.3, 0.25, 0.2, 0.1, 0.0},
       {1.0, 1.0, 1.0},
       40.0,
       {block_method, coupling_method, cascade_method}},
      {"d8 weak",
       ladder(8, 0.1),
       {1.0, 1.0},
       2.0,
       {angular_method, coupling_method, cascade_method}},
      {"d12 projector", ladder(12, 0.08), {1.0, 1.0, 1.0}, 20.0, general},
      {"d12 mixed", ladder(12, 0.08), {1.0, 0.6, 0.6, 0.6, 0.1, 0.0}, 20.0, general},
  };
}

constexpr std::size_t kDraws = 3000;
constexpr std::size_t kBudget = 2048;  ///< checks in this file, at least

struct Sample {
  std::vector<double> scores;
  Vector diagonal;  ///< mean of H_aa
};

Sample sample(const OrbitMethod& method, const OrbitLaw& law, RandomStream& stream) {
  Sample drawn{{}, Vector::Zero(law.diagonal.size())};
  for (std::size_t n = 0; n < kDraws; ++n) {
    const ComplexMatrix frame = method.draw(stream);
    drawn.scores.push_back(score(law.diagonal, frame));
    drawn.diagonal += frame.rowwise().squaredNorm() / static_cast<double>(kDraws);
  }
  return drawn;
}

/// Range of tr(YH): eigenvalues in the same and in the opposite order.
double score_range(const OrbitLaw& law) {
  const Eigen::Index k = law.spectrum.size();
  return law.spectrum.dot(law.diagonal.head(k)) -
         law.spectrum.dot(law.diagonal.tail(k).reverse().eval());
}

bool moments_agree(const std::vector<double>& scores, const OrbitMoments& exact, double range) {
  constexpr double kAlpha = alpha_of("sampling: orbit hciz moments") / kBudget;
  double mean = 0.0;
  double spread = 0.0;
  for (const double x : scores) {
    mean += x / kDraws;
    spread += (x - exact.mean) * (x - exact.mean) / kDraws;
  }
  // (X - m)² lies in [0, range²], and its variance is at most range² Var X.
  return std::abs(mean - exact.mean) <= bernstein_limit(exact.variance, range, kDraws, kAlpha) &&
         std::abs(spread - exact.variance) <=
             bernstein_limit(range * range * exact.variance, range * range, kDraws, kAlpha);
}

bool diagonal_agrees(const Vector& mean, const OrbitMoments& exact, double largest) {
  constexpr double kAlpha = alpha_of("sampling: orbit hciz diagonal") / kBudget;
  for (Eigen::Index a = 0; a < mean.size(); ++a) {
    // 0 <= H_aa <= l_1, so Var H_aa <= E (l_1 - E) (Bhatia and Davis).
    const double expected = exact.diagonal[a];
    const double variance = expected * (largest - expected);
    if (std::abs(mean[a] - expected) > bernstein_limit(variance, largest, kDraws, kAlpha)) {
      return false;
    }
  }
  return true;
}

TEST(OrbitMoments, EverySamplerMatchesTheDeterminant) {
  RandomStream stream = RandomStream::seeded(seed_for("orbit.moments"));
  for (const Case& test : cases()) {
    const OrbitLaw law = test.law();
    const OrbitMoments exact = hciz_moments(law);
    const double range = score_range(law);
    for (const auto make : test.methods) {
      const OrbitMethod method = make(law);
      SCOPED_TRACE(std::string(test.name) + " " + method.name);
      const Sample drawn = sample(method, law, stream);
      EXPECT_TRUE(moments_agree(drawn.scores, exact, range));
      EXPECT_TRUE(diagonal_agrees(drawn.diagonal, exact, law.spectrum[0]));
    }
    // Broken twin: an exponent that is off by one standard deviation of the score.
    SCOPED_TRACE(std::string(test.name) + " twin");
    const OrbitLaw wrong{law.diagonal, law.spectrum,
                         law.exponent + 1.0 / std::sqrt(exact.variance)};
    EXPECT_FALSE(moments_agree(sample(cascade_method(wrong), law, stream).scores, exact, range));
  }
}

/// Blocks that are far too short at first: the law does not depend on their length.
TEST(OrbitMoments, BlocksMayGrowBeforeOneCoalesces) {
  RandomStream stream = RandomStream::seeded(seed_for("orbit.moments.growing"));
  for (const Case& test : cases()) {
    const OrbitLaw law = test.law();
    if (law.diagonal.size() > 5 || test.spectrum.size() == 1) {
      continue;  // seconds, and a vector needs no coupling
    }
    SCOPED_TRACE(test.name);
    const OrbitMoments exact = hciz_moments(law);
    const Sample drawn = sample(growing_method(law), law, stream);
    EXPECT_TRUE(moments_agree(drawn.scores, exact, score_range(law)));
    EXPECT_TRUE(diagonal_agrees(drawn.diagonal, exact, law.spectrum[0]));
  }
}

TEST(OrbitMoments, DiagonalCheckSeesTwoRowsExchanged) {
  RandomStream stream = RandomStream::seeded(seed_for("orbit.moments.rows"));
  const OrbitLaw law{vector_of({1.0, 0.8, 0.3, 0.0}), vector_of({1.0, 1.0}), 6.0};
  const OrbitMoments exact = hciz_moments(law);
  Vector mean = sample(cascade_method(law), law, stream).diagonal;
  EXPECT_TRUE(diagonal_agrees(mean, exact, 1.0));
  std::swap(mean[1], mean[2]);
  EXPECT_FALSE(diagonal_agrees(mean, exact, 1.0));
}

TEST(OrbitMoments, TheDeterminantItselfIsRight) {
  // d = 2: R = H_11 has density e^{c (y_1 - y_2) R} on [l_2, l_1].
  const OrbitMoments exact = hciz_moments({vector_of({1.0, 0.25}), vector_of({1.5, 0.5}), 2.0});
  const double t = 2.0 * 0.75;
  const double expected = 0.5 + 1.0 / (1.0 - std::exp(-t)) - 1.0 / t;
  EXPECT_NEAR(exact.diagonal[0], expected, 1e-14);
  EXPECT_NEAR(exact.mean, expected + 0.25 * (2.0 - expected), 1e-14);
  const double variance = 1.0 / (t * t) - 1.0 / (4.0 * std::sinh(t / 2) * std::sinh(t / 2));
  EXPECT_NEAR(exact.variance, 0.75 * 0.75 * variance, 1e-14);
  // H_22 = 2 - H_11 and |H_12|² = (1.5 - H_11) (H_11 - 0.5).
  EXPECT_NEAR(exact.joint(0, 1), 2.0 * expected - expected * expected - variance, 1e-13);
  EXPECT_NEAR(exact.modulus(0, 1), (1.5 - expected) * (expected - 0.5) - variance, 1e-13);
  EXPECT_NEAR(exact.integral, std::exp(2.0 * (0.5 + 0.25 * 1.5)) * std::expm1(t) / t, 1e-13);
}

}  // namespace
}  // namespace eigenveil::test::orbit_moments_test
