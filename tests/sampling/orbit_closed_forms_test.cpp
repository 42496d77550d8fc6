// Laws known in closed form: d = 2, the uniform law, large exponents, ties.
#include <gtest/gtest.h>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <cmath>

#include "random/normal.hpp"
#include "sampling/orbit_reference.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::orbit_closed_forms_test {
namespace {

constexpr std::size_t kDraws = 3000;

template <class Statistic>
std::vector<double> collect(const OrbitMethod& method, RandomStream& stream,
                            const Statistic& statistic) {
  std::vector<double> values(kDraws);
  for (double& value : values) {
    value = statistic(method.draw(stream));
  }
  return values;
}

double first_entry(const ComplexMatrix& frame) {
  return frame.row(0).squaredNorm();
}

/// P(R <= x) for density e^{t x} on [0, 1].
double tilted_cdf(double x, double t) {
  if (t == 0.0) {
    return x;
  }
  return t < 1.0 ? std::expm1(t * x) / std::expm1(t)
                 : (std::exp(t * (x - 1.0)) - std::exp(-t)) / -std::expm1(-t);
}

TEST(OrbitClosedForms, TwoDimensionsForEveryExponent) {
  constexpr double kAlpha = alpha_of("sampling: orbit two dimensions") / 64;
  RandomStream stream = RandomStream::seeded(seed_for("orbit.two"));
  const double limit = dkw_limit(kDraws, kAlpha);
  for (const double exponent : {0.0, 1e-6, 0.01, 0.05, 0.3, 1.0, 10.0, 1e2, 1e4, 1e6}) {
    SCOPED_TRACE(exponent);
    const Vector diagonal = vector_of({1.0, 0.5});
    const auto cdf = [&](double x) { return tilted_cdf(x, exponent); };
    // H_11 / 2 and (H_11 - 0.5) / 2 have density e^{exponent x} on [0, 1].
    const OrbitLaw vector{diagonal, vector_of({2.0}), exponent};
    const OrbitLaw full{diagonal, vector_of({2.5, 0.5}), exponent};
    for (const OrbitMethod& method : {block_method(vector), coupling_method(vector)}) {
      const auto values =
          collect(method, stream, [](const auto& frame) { return first_entry(frame) / 2.0; });
      EXPECT_LE(distance_from_cdf(values, cdf), limit) << method.name;
    }
    for (const OrbitMethod& method : {coupling_method(full), cascade_method(full)}) {
      const auto values = collect(
          method, stream, [](const auto& frame) { return (first_entry(frame) - 0.5) / 2.0; });
      EXPECT_LE(distance_from_cdf(values, cdf), limit) << method.name;
    }
    const OrbitLaw wrong{diagonal, vector_of({2.0}), 1.5 * exponent + 0.75};
    const auto twin = collect(coupling_method(wrong), stream,
                              [](const auto& frame) { return first_entry(frame) / 2.0; });
    EXPECT_GT(distance_from_cdf(twin, cdf), limit);
  }
}

TEST(OrbitClosedForms, UniformProjectorsHaveBetaMarginals) {
  constexpr double kAlpha = alpha_of("sampling: orbit uniform marginals") / 16;
  RandomStream stream = RandomStream::seeded(seed_for("orbit.uniform"));
  for (const auto& [d, k] : {std::pair{5, 2}, {6, 1}, {7, 3}}) {
    const OrbitLaw law{Vector::LinSpaced(d, 1.0, 0.0), Vector::Ones(k), 0.0};
    const boost::math::beta_distribution<> exact(k, d - k);
    const boost::math::beta_distribution<> twin(k + 0.5, d - k);
    for (const OrbitMethod& method :
         {angular_method(law), coupling_method(law), cascade_method(law)}) {
      SCOPED_TRACE(method.name);
      const std::vector<double> values = collect(
          method, stream, [](const auto& frame) { return frame.bottomRows(1).squaredNorm(); });
      const double limit = dkw_limit(kDraws, kAlpha);
      EXPECT_LE(distance_from_cdf(values, [&](double x) { return cdf(exact, std::min(x, 1.0)); }),
                limit);
      EXPECT_GT(distance_from_cdf(values, [&](double x) { return cdf(twin, std::min(x, 1.0)); }),
                limit);
    }
  }
}

TEST(OrbitClosedForms, LargeExponentsLeaveAGammaDeficit) {
  // At the top vertex the steps are independent exponentials, one for every free pattern entry:
  // c (max tr(YH) - tr(YH)) is Gamma(number of free entries) up to the rejected mass, which is
  // below e^-1000 here.
  constexpr double kAlpha = alpha_of("sampling: orbit large exponents") / 32;
  RandomStream stream = RandomStream::seeded(seed_for("orbit.large"));
  const Vector diagonal = vector_of({1.0, 0.8, 0.5, 0.3, 0.1, 0.0});
  const double limit = dkw_limit(kDraws, kAlpha);
  for (const double exponent : {1e5, 1e6}) {
    const OrbitLaw projector{diagonal, vector_of({1.0, 1.0}), exponent};
    const OrbitLaw distinct{diagonal, vector_of({1.0, 0.6, 0.3}), exponent};
    const auto check = [&](const OrbitLaw& law, const OrbitMethod& method, double shape) {
      SCOPED_TRACE(method.name);
      const double best = law.spectrum.dot(diagonal.head(law.spectrum.size()));
      const std::vector<double> values = collect(method, stream, [&](const auto& frame) {
        return std::max(0.0, exponent * (best - score(diagonal, frame)));
      });
      const boost::math::gamma_distribution<> exact(shape);
      const boost::math::gamma_distribution<> twin(shape - 1.0);
      EXPECT_LE(distance_from_cdf(values, [&](double x) { return cdf(exact, x); }), limit);
      EXPECT_GT(distance_from_cdf(values, [&](double x) { return cdf(twin, x); }), limit);
    };
    for (const auto make : {block_method, coupling_method, cascade_method}) {
      check(projector, make(projector), 8.0);
    }
    for (const auto make : {vertex_method, coupling_method, cascade_method}) {
      check(distinct, make(distinct), 12.0);
    }
  }
}

/// The block sampler of a uniform vector (all weights tied), with a chosen sign of the slack.
double tied_first_entry(RandomStream& stream, int dimension, double sign) {
  const double tilt = dimension - 1.0;
  while (true) {
    double sum = 0.0;
    for (int i = 1; i < dimension; ++i) {
      sum -= std::log(uniform(stream)) / tilt;
    }
    if (sum <= 1.0 && std::log(uniform(stream)) <= -sign * tilt * (1.0 - sum)) {
      return 1.0 - sum;
    }
  }
}

TEST(OrbitClosedForms, TieGuardKeepsTheLaw) {
  constexpr double kAlpha = alpha_of("sampling: orbit tie guard") / 8;
  RandomStream stream = RandomStream::seeded(seed_for("orbit.ties"));
  const double limit = dkw_limit(kDraws, kAlpha);
  const boost::math::beta_distribution<> exact(1, 4);
  const auto beta_cdf = [&](double x) { return cdf(exact, std::clamp(x, 0.0, 1.0)); };
  const OrbitLaw law{Vector::Constant(5, 0.7), Vector::Ones(1), 30.0};
  EXPECT_LE(distance_from_cdf(collect(cascade_method(law), stream, first_entry), beta_cdf), limit);
  const auto by_hand = [&](double sign) {
    std::vector<double> values(kDraws);
    for (double& value : values) {
      value = tied_first_entry(stream, 5, sign);
    }
    return distance_from_cdf(values, beta_cdf);
  };
  EXPECT_LE(by_hand(1.0), limit);
  EXPECT_GT(by_hand(-1.0), limit);  // broken twin: slack of the wrong sign
}

/// The angular envelope for d = 2, k = 1, with (1 + u/b)^d raised to a chosen sign.
double angular_first_entry(RandomStream& stream, double t, double sign) {
  const double b = (2.0 - t + std::sqrt(t * t + 4.0)) / 2.0;  // 1/b + 1/(b+t) = 1
  while (true) {
    const double first = -std::log(uniform(stream));
    const double second = -std::log(uniform(stream)) / (1.0 + t / b);
    const double share = first / (first + second);
    const double u = t * (1.0 - share);
    const double peak = sign > 0.0 ? -(2.0 - b) + 2.0 * std::log(2.0 / b) : 0.0;
    if (std::log(uniform(stream)) <= -u + sign * 2.0 * std::log1p(u / b) - peak) {
      return share;
    }
  }
}

TEST(OrbitClosedForms, AngularEnvelopeMultiplies) {
  constexpr double kAlpha = alpha_of("sampling: orbit angular envelope") / 8;
  RandomStream stream = RandomStream::seeded(seed_for("orbit.angular"));
  constexpr double kTilt = 2.0;
  const double limit = dkw_limit(kDraws, kAlpha);
  const auto exact = [](double x) { return tilted_cdf(x, kTilt); };
  const OrbitLaw law{vector_of({1.0, 0.0}), Vector::Ones(1), kTilt};
  EXPECT_LE(distance_from_cdf(collect(angular_method(law), stream, first_entry), exact), limit);
  const auto by_hand = [&](double sign) {
    std::vector<double> values(kDraws);
    for (double& value : values) {
      value = angular_first_entry(stream, kTilt, sign);
    }
    return distance_from_cdf(values, exact);
  };
  EXPECT_LE(by_hand(1.0), limit);
  EXPECT_GT(by_hand(-1.0), limit);  // broken twin: the factor divides
}

}  // namespace
}  // namespace eigenveil::test::orbit_closed_forms_test
