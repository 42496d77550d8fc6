// The exact samplers against laws known in closed form or by quadrature: circle, sphere, Haar.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <array>
#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/special_functions/bessel.hpp>

#include "bingham_sphere.hpp"
#include "bingham_twins.hpp"
#include "sampling/bingham.hpp"
#include "sampling/head_tail.hpp"
#include "sampling/limits.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::bingham_law_test {
namespace {

constexpr std::size_t kDraws = 20'000;
constexpr double kPi = boost::math::constants::pi<double>();

template <class Draw, class Statistic>
std::vector<double> sample_of(std::size_t count, const Draw& draw, const Statistic& statistic) {
  std::vector<double> values(count);
  for (double& value : values) {
    value = statistic(draw());
  }
  return values;
}

Vector spectrum_of(std::initializer_list<double> values) {
  return Eigen::Map<const Vector>(std::data(values), static_cast<Eigen::Index>(values.size()));
}

Matrix head_tail_draw(const detail::HeadTail& stage, RandomStream& stream, Eigen::Index rows,
                      Eigen::Index columns) {
  detail::HeadTail::Workspace workspace;
  Matrix frame(rows, columns);
  while (!stage.propose(stream, workspace, frame)) {
  }
  return frame;
}

Matrix envelope_draw(const detail::AngularGaussianEnvelope& stage, RandomStream& stream,
                     Eigen::Index rows, Eigen::Index columns) {
  detail::AngularGaussianEnvelope::Workspace workspace;
  Matrix frame(rows, columns);
  while (!stage.propose(stream, workspace, frame)) {
  }
  return frame;
}

/// p = 2: the angle from e_1 has density exp(-g sin^2), whose integral is a Bessel function.
TEST(Bingham, CircleMatchesBesselClosedForm) {
  constexpr std::array kGaps = {0.0, 1e-3, 0.5, 3.0, 30.0, 1e3, 1e6};
  constexpr double kAlpha = alpha_of("bingham: circle") / (2.0 * kGaps.size());
  const auto angle = [](const Matrix& x) {
    return std::atan2(std::abs(x(1, 0)), std::abs(x(0, 0))) / (0.5 * kPi);
  };
  RandomStream stream = RandomStream::seeded(seed_for("bingham: circle"));
  for (const double gap : kGaps) {
    const auto density = [gap](double s) {
      const double sine = std::sin(0.5 * kPi * s);
      return std::exp(-gap * sine * sine);
    };
    std::optional<double> integral;
    if (gap <= 1e3) {
      integral = std::exp(-0.5 * gap) * boost::math::cyl_bessel_i(0, 0.5 * gap);
    }
    const auto distance = [&](const auto& draw) {
      return distance_from_density(sample_of(kDraws, draw, angle), density, integral);
    };
    const auto sampler = BinghamSampler::make(spectrum_of({1.0, 0.0}), gap, 1).value();
    const detail::AngularGaussianEnvelope envelope(spectrum_of({0.0, gap}), 1);
    const double limit = dkw_limit(kDraws, kAlpha);
    EXPECT_LT(distance([&] { return sampler.draw(stream); }), limit) << gap;
    EXPECT_LT(distance([&] { return envelope_draw(envelope, stream, 2, 1); }), limit) << gap;
    if (gap >= 0.5) {
      const auto twin = BinghamSampler::make(spectrum_of({1.0, 0.0}), 0.5 * gap, 1).value();
      EXPECT_GT(distance([&] { return twin.draw(stream); }), limit) << gap;
    }
  }
}

struct SphereCase {
  std::array<double, 3> eigenvalues;
  double exponent;
};

constexpr std::array kSphereCases = {
    SphereCase{{1.0, 0.4, 0.0}, 0.0},         SphereCase{{1.0, 0.4, 0.0}, 0.7},
    SphereCase{{1.0, 0.4, 0.0}, 6.0},         SphereCase{{1.0, 0.4, 0.0}, 600.0},
    SphereCase{{1.0, 1.0, 0.0}, 5.0},         SphereCase{{1.0, 0.0, 0.0}, 5.0},
    SphereCase{{1.0, 1.0 - 1e-9, 0.0}, 50.0}, SphereCase{{1e-9, 1e-12, 0.0}, 1e9},
    SphereCase{{1.0, 0.0, 0.0}, 1e6},         SphereCase{{1.0, 1.0, 0.0}, 1e6},
};

/// `sign` +1 for a line of density exp(x^T A x), -1 for the normal of a plane.
std::array<double, 3> exponents_of(const SphereCase& c, double sign) {
  return {sign * c.exponent * c.eigenvalues[0], sign * c.exponent * c.eigenvalues[1],
          sign * c.exponent * c.eigenvalues[2]};
}

bool within_boost(std::array<double, 3> e, int index) {
  std::swap(e[0], e[static_cast<std::size_t>(index)]);
  return std::abs(e[1] - e[2]) < 1400.0;
}

TEST(Bingham, SphereMatchesQuadratureThroughEveryStage) {
  constexpr double kAlpha = alpha_of("bingham: sphere") / (9.0 * kSphereCases.size());
  const double limit = dkw_limit(kDraws, kAlpha);
  RandomStream stream = RandomStream::seeded(seed_for("bingham: sphere"));
  for (const SphereCase& c : kSphereCases) {
    const Vector spectrum = Eigen::Map<const Vector>(c.eigenvalues.data(), 3);
    const Vector penalties = c.exponent * (spectrum[0] - spectrum.array());
    const auto sampler = BinghamSampler::make(spectrum, c.exponent, 1).value();
    const detail::HeadTail head_tail(spectrum, c.exponent, 1);
    const detail::AngularGaussianEnvelope envelope(penalties, 1);
    for (int i = 0; i < 3; ++i) {
      if (!within_boost(exponents_of(c, 1.0), i)) {
        continue;
      }
      const auto density = sphere_marginal(exponents_of(c, 1.0), i);
      const auto distance = [&](const auto& draw) {
        return distance_from_density(
            sample_of(kDraws, draw, [i](const Matrix& x) { return std::abs(x(i, 0)); }), density);
      };
      EXPECT_LT(distance([&] { return sampler.draw(stream); }), limit);
      EXPECT_LT(distance([&] { return head_tail_draw(head_tail, stream, 3, 1); }), limit);
      EXPECT_LT(distance([&] { return envelope_draw(envelope, stream, 3, 1); }), limit);
    }
  }
}

/// Every mistake shows on the sphere; the plain implementations without one pass.
TEST(Bingham, SphereRejectsBrokenTwins) {
  constexpr double kAlpha = alpha_of("bingham: sphere");
  const double limit = dkw_limit(kDraws, kAlpha);
  RandomStream stream = RandomStream::seeded(seed_for("bingham: sphere twins"));
  const SphereCase c{{1.0, 0.6, 0.0}, 4.0};
  const Vector spectrum = Eigen::Map<const Vector>(c.eigenvalues.data(), 3);
  const Vector a = c.exponent * spectrum;
  const auto worst = [&](const auto& draw) {
    double distance = 0.0;
    for (int i = 0; i < 3; ++i) {
      const auto sample = sample_of(kDraws, draw, [i](const Vector& x) { return std::abs(x[i]); });
      distance = std::max(distance,
                          distance_from_density(sample, sphere_marginal(exponents_of(c, 1.0), i)));
    }
    return distance;
  };
  const Vector penalties = a[0] - a.array();
  const double b = detail::envelope_offset(penalties);
  const auto envelope = [&](Mistake mistake) {
    return worst([&] { return plain_envelope_draw(stream, penalties, b, mistake); });
  };
  EXPECT_LT(envelope(Mistake::None), limit);
  EXPECT_GT(envelope(Mistake::DivideByForm), limit);
  const auto head_tail = [&](double level, Mistake mistake) {
    return worst([&] { return plain_head_tail_draw(stream, a, level, mistake); });
  };
  constexpr double kLevel = 3.0;  // above a_2 = 2.4: the lift matters
  EXPECT_LT(head_tail(0.0, Mistake::None), limit);
  EXPECT_LT(head_tail(kLevel, Mistake::None), limit);
  EXPECT_GT(head_tail(kLevel, Mistake::NoLiftStep), limit);
  EXPECT_GT(head_tail(0.0, Mistake::DoubledVariance), limit);
  const auto exact = [&](double exponent) {
    const auto sampler = BinghamSampler::make(spectrum, exponent, 1).value();
    return worst([&] { return Vector(sampler.draw(stream)); });
  };
  EXPECT_LT(exact(c.exponent), limit);
  EXPECT_GT(exact(c.exponent * 2.0 / 3.0), limit);  // divisor p - k in place of p
}

/// Two exponents that are nearly equal: Jensen's bound is loose there, and the tail leaves the ball
/// often, so the two steps that repair this can be seen.
TEST(Bingham, HeadTailRejectsTwinsWithoutItsRepairs) {
  const double limit = dkw_limit(kDraws, alpha_of("bingham: head-tail repairs") / 3.0);
  RandomStream stream = RandomStream::seeded(seed_for("bingham: head-tail repairs"));
  const SphereCase c{{1.0, 0.05, 0.0}, 2.0};
  const Vector a = c.exponent * Eigen::Map<const Vector>(c.eigenvalues.data(), 3);
  const auto distance = [&](Mistake mistake, int i) {
    return distance_from_density(
        sample_of(
            kDraws, [&] { return plain_head_tail_draw(stream, a, 0.0, mistake); },
            [i](const Vector& x) { return std::abs(x[i]); }),
        sphere_marginal(exponents_of(c, 1.0), i));
  };
  const auto worst = [&](Mistake mistake) {
    return std::max({distance(mistake, 0), distance(mistake, 1), distance(mistake, 2)});
  };
  EXPECT_LT(worst(Mistake::None), limit);
  EXPECT_GT(worst(Mistake::NoJensenStep), limit);
  EXPECT_GT(worst(Mistake::NoBallTest), limit);
}

/// k = p - 1 = 2: the normal n of the plane has density exp(-n^T A n), and n_i^2 = 1 - |row_i|^2.
TEST(Bingham, PlanesOfSpaceMatchQuadrature) {
  constexpr double kAlpha = alpha_of("bingham: sphere complement") / (3.0 * kSphereCases.size());
  const double limit = dkw_limit(kDraws, kAlpha);
  RandomStream stream = RandomStream::seeded(seed_for("bingham: sphere complement"));
  for (const SphereCase& c : kSphereCases) {
    const Vector spectrum = Eigen::Map<const Vector>(c.eigenvalues.data(), 3);
    const auto sampler = BinghamSampler::make(spectrum, c.exponent, 2).value();
    const auto twin = BinghamSampler::make(spectrum, c.exponent / 3.0, 2).value();
    for (int i = 0; i < 3; ++i) {
      if (!within_boost(exponents_of(c, -1.0), i)) {
        continue;
      }
      const auto normal = [i](const Matrix& frame) {
        return std::abs(frame.col(0).head<3>().cross(frame.col(1).head<3>())[i]);
      };
      const auto density = sphere_marginal(exponents_of(c, -1.0), i);
      EXPECT_LT(distance_from_density(sample_of(
                                          kDraws, [&] { return sampler.draw(stream); }, normal),
                                      density),
                limit);
      if (i == 2 && c.exponent * c.eigenvalues[1] >= 1.0) {
        EXPECT_GT(distance_from_density(sample_of(
                                            kDraws, [&] { return twin.draw(stream); }, normal),
                                        density),
                  limit);
      }
    }
  }
}

/// The density does not see V -> V Q, so a row of V points in a uniform direction.
TEST(Bingham, FramesAreTurnedUniformly) {
  const Vector spectrum = spectrum_of({3.0, 2.0, 0.7, 0.2, 0.0});
  const double limit = dkw_limit(kDraws, alpha_of("bingham: right rotation") / 4.0);
  RandomStream stream = RandomStream::seeded(seed_for("bingham: right rotation"));
  const detail::HeadTail head_tail(spectrum, 5.0, 2);
  const detail::AngularGaussianEnvelope envelope(0.3 * (3.0 - spectrum.array()), 2);
  for (const int row : {0, 4}) {
    const auto turn = [row](const Matrix& v) {
      return std::atan2(std::abs(v(row, 1)), std::abs(v(row, 0))) / (0.5 * kPi);
    };
    const auto uniform_cdf = [](double s) { return s; };
    const auto distance = [&](const auto& draw) {
      return distance_from_cdf(sample_of(kDraws, draw, turn), uniform_cdf);
    };
    const auto straighten = [](const Matrix& v) {
      const Eigen::JacobiSVD<Matrix> polar(v.topRows(2), Eigen::ComputeFullU | Eigen::ComputeFullV);
      return Matrix(v * polar.matrixV() * polar.matrixU().transpose());
    };
    EXPECT_LT(distance([&] { return head_tail_draw(head_tail, stream, 5, 2); }), limit);
    EXPECT_LT(distance([&] { return envelope_draw(envelope, stream, 5, 2); }), limit);
    if (row == 0) {
      EXPECT_GT(distance([&] { return straighten(head_tail_draw(head_tail, stream, 5, 2)); }),
                limit);
    }
  }
}

/// Exponent 0: |row|^2 is Beta(k/2, (p-k)/2), through the stages themselves.
TEST(Bingham, ZeroExponentIsHaar) {
  constexpr double kAlpha = alpha_of("bingham: haar rows") / 12.0;
  constexpr std::size_t kCount = 5'000;
  const double limit = dkw_limit(kCount, kAlpha);
  RandomStream stream = RandomStream::seeded(seed_for("bingham: haar rows"));
  constexpr std::array<std::array<int, 2>, 3> kShapes = {{{4, 1}, {4, 2}, {5, 3}}};
  for (const auto& [p, k] : kShapes) {
    const Vector flat = Vector::Constant(p, 1.5);
    const detail::HeadTail head_tail(flat, 0.0, k);
    const detail::AngularGaussianEnvelope envelope(Vector::Zero(p), k);
    const boost::math::beta_distribution<double> law(0.5 * k, 0.5 * (p - k));
    const boost::math::beta_distribution<double> twin(0.5 * k, 0.5 * p);
    for (const int row : {0, p - 1}) {
      const auto square = [row](const Matrix& v) { return v.row(row).squaredNorm(); };
      const auto of_law = [](const auto& beta) {
        return [&beta](double s) { return boost::math::cdf(beta, std::min(s, 1.0)); };
      };
      const auto head_tail_sample = sample_of(
          kCount, [&] { return head_tail_draw(head_tail, stream, p, k); }, square);
      EXPECT_LT(distance_from_cdf(head_tail_sample, of_law(law)), limit);
      EXPECT_GT(distance_from_cdf(head_tail_sample, of_law(twin)), limit);
      EXPECT_LT(distance_from_cdf(
                    sample_of(
                        kCount, [&] { return envelope_draw(envelope, stream, p, k); }, square),
                    of_law(law)),
                limit);
    }
  }
}

}  // namespace
}  // namespace eigenveil::test::bingham_law_test
