// The approximate samplers: what they do exactly (one conditional draw, an invariant law, the
// Gaussian block itself) is tested as such.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/QR>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <type_traits>

#include "bingham_sphere.hpp"
#include "random/haar.hpp"
#include "random/normal.hpp"
#include "sampling/bingham.hpp"
#include "sampling/bingham_gibbs.hpp"
#include "sampling/conditional_column.hpp"
#include "sampling/gaussian_block.hpp"
#include "sampling/limits.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::bingham_chains_test {
namespace {

static_assert(!std::is_base_of_v<ExactSampler<Matrix>, BinghamGibbsSampler>);
static_assert(!std::is_base_of_v<ExactSampler<Matrix>, GaussianBlockSampler>);
static_assert(!std::is_base_of_v<ExactSampler<Matrix>, GaussianBlockChain>);

constexpr std::size_t kDraws = 20'000;

Matrix complement_of(const Matrix& others) {
  const Eigen::HouseholderQR<Matrix> qr(others);
  const Matrix q = qr.householderQ() * Matrix::Identity(others.rows(), others.rows());
  return q.rightCols(others.rows() - others.cols());
}

TEST(BinghamGibbs, CompressedTopIsAnUpperBound) {
  RandomStream stream = RandomStream::seeded(seed_for("bingham: compressed top"));
  for (int repetition = 0; repetition < 200; ++repetition) {
    const Eigen::Index p = 4 + repetition % 9;
    const Eigen::Index others_count = 1 + repetition % 3;
    const Vector spectrum = Vector::LinSpaced(p, 3.0, -1.0);
    const Matrix others = haar_frame(stream, p, others_count);
    const Matrix basis = complement_of(others);
    const Eigen::SelfAdjointEigenSolver<Matrix> dense(
        Matrix(basis.transpose() * spectrum.asDiagonal() * basis), Eigen::EigenvaluesOnly);
    const double top = dense.eigenvalues()[p - others_count - 1];
    constexpr double kPrecision = 1e-6;
    const double bound = detail::compressed_top(spectrum, others, kPrecision);
    EXPECT_GE(bound, top - 1e-12);
    EXPECT_LE(bound, top + kPrecision);
  }
}

using Form = detail::ConditionalColumn::Form;

/// Two given columns in R^5 that lead to each form: close to the top eigenvectors (leading entries
/// of D are negative and are eliminated), orthogonal to the first (D > 0), or with a first and a
/// second coordinate that are proportional (nothing to eliminate with).
Matrix given_columns(Form form, RandomStream& stream) {
  Matrix start = haar_frame(stream, 5, 2);
  if (form == Form::Elimination) {
    start = Matrix::Identity(5, 2) + 0.2 * start;
  } else if (form == Form::Projection) {
    start.row(0).setZero();
  } else {
    start.row(1) = 0.5 * start.row(0);
  }
  return Eigen::HouseholderQR<Matrix>(start).householderQ() * Matrix::Identity(5, 2);
}

/// v lives on a sphere in three dimensions, with the compressed spectrum.
TEST(BinghamGibbs, ConditionalColumnMatchesQuadrature) {
  const Vector spectrum = Eigen::Map<const Vector>(std::array{4.0, 3.0, 1.0, 0.4, 0.0}.data(), 5);
  RandomStream stream = RandomStream::seeded(seed_for("bingham: conditional column"));
  constexpr double kAlpha = alpha_of("bingham: conditional column") / 9.0;
  const double limit = dkw_limit(kDraws, kAlpha);
  for (const Form form : {Form::Elimination, Form::Projection, Form::Basis}) {
    const Matrix others = given_columns(form, stream);
    constexpr double kExponent = 6.0;
    const detail::ConditionalColumn conditional(spectrum, kExponent, others);
    EXPECT_EQ(conditional.form(), form);
    const Matrix basis = complement_of(others);
    const Eigen::SelfAdjointEigenSolver<Matrix> compressed(
        Matrix(basis.transpose() * spectrum.asDiagonal() * basis));
    const Matrix axes = basis * compressed.eigenvectors();
    const detail::ConditionalColumn twin(spectrum, 0.5 * kExponent, others);
    for (int i = 0; i < 3; ++i) {
      const Vector e = kExponent * compressed.eigenvalues();
      const auto density = sphere_marginal({e[0], e[1], e[2]}, i);
      const auto distance = [&](const detail::ConditionalColumn& which) {
        std::vector<double> values(kDraws);
        for (double& value : values) {
          value = std::min(1.0, std::abs(axes.col(i).dot(which.draw(stream))));
        }
        return distance_from_density(values, density);
      };
      EXPECT_LT(distance(conditional), limit);
      if (i == 2) {
        EXPECT_GT(distance(twin), limit);
      }
    }
  }
}

/// Sweeps leave the law invariant: start in an exact draw, sweep, and compare with the quadrature
/// of planes in space. The twin sweeps with twice the exponent.
TEST(BinghamGibbs, SweepsKeepTheLaw) {
  const std::array<double, 3> values = {1.0, 0.4, 0.0};
  const Vector spectrum = Eigen::Map<const Vector>(values.data(), 3);
  constexpr double kExponent = 5.0;
  RandomStream stream = RandomStream::seeded(seed_for("bingham: gibbs keeps the law"));
  const double limit = dkw_limit(kDraws, alpha_of("bingham: gibbs keeps the law") / 3.0);
  const auto exact = BinghamSampler::make(spectrum, kExponent, 2).value();
  for (int i = 0; i < 3; ++i) {
    const auto density = sphere_marginal({-kExponent * values[0], -kExponent * values[1], 0.0}, i);
    const auto distance = [&](double exponent) {
      const auto gibbs = BinghamGibbsSampler::make(spectrum, exponent, 2, 1).value();
      std::vector<double> sample(kDraws);
      for (double& value : sample) {
        Matrix frame = exact.draw(stream);
        const Matrix before = frame;
        gibbs.sweep(stream, frame);
        EXPECT_NE(before, frame);
        value = std::abs(frame.col(0).head<3>().cross(frame.col(1).head<3>())[i]);
      }
      return distance_from_density(sample, density);
    };
    EXPECT_LT(distance(kExponent), limit);
    if (i == 0) {
      EXPECT_GT(distance(2.0 * kExponent), limit);
    }
  }
}

/// Far inside the ball an entry of one column is exactly normal with variance 1 / (2 c gap).
TEST(GaussianBlock, EntriesHaveTheStatedVariance) {
  const Vector spectrum = Eigen::Map<const Vector>(std::array{3.0, 1.0, 0.5, 0.0}.data(), 4);
  constexpr double kExponent = 200.0;
  const auto block = GaussianBlockSampler::make(spectrum, kExponent, 1).value();
  RandomStream stream = RandomStream::seeded(seed_for("bingham: gaussian block"));
  const double limit = dkw_limit(kDraws, alpha_of("bingham: gaussian block") / 3.0);
  std::array<std::vector<double>, 3> samples;
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    const Matrix x = block.draw(stream);
    for (std::size_t i = 0; i < 3; ++i) {
      samples[i].push_back(x(static_cast<Eigen::Index>(i) + 1, 0));
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const double gap = spectrum[0] - spectrum[static_cast<Eigen::Index>(i) + 1];
    const auto normal_cdf = [](double variance) {
      return [law = boost::math::normal(0.0, std::sqrt(variance))](double z) {
        return boost::math::cdf(law, z);
      };
    };
    EXPECT_LT(distance_from_cdf(samples[i], normal_cdf(0.5 / (kExponent * gap))), limit);
    EXPECT_GT(distance_from_cdf(samples[i], normal_cdf(1.0 / (kExponent * gap))), limit);
  }
}

/// p = 3, k = 1. From Z = 0 (weight 1, the least) n steps are within (1 - 1/w)^n of the law, apart
/// from states of weight above w = 10, that is x_1^2 < 1/100; both are far below the limit.
TEST(GaussianBlock, MetropolisChainReachesTheLaw) {
  const std::array<double, 3> values = {1.0, 0.4, 0.0};
  const Vector spectrum = Eigen::Map<const Vector>(values.data(), 3);
  constexpr double kExponent = 6.0;
  constexpr int kSteps = 200;
  constexpr std::size_t kChains = 5'000;
  const auto chain = GaussianBlockChain::make(spectrum, kExponent, 1, kSteps).value();
  const auto block = GaussianBlockSampler::make(spectrum, kExponent, 1).value();
  const auto density =
      sphere_marginal({kExponent * values[0], kExponent * values[1], kExponent * values[2]}, 0);
  const auto mass = [&](double low, double high) {
    return boost::math::quadrature::gauss_kronrod<double, 31>::integrate(density, low, high, 10);
  };
  const double unmixed = std::pow(0.9, kSteps) + mass(0.0, 0.1) / mass(0.0, 1.0);
  const double limit = dkw_limit(kChains, alpha_of("bingham: metropolis chain")) + unmixed;
  RandomStream stream = RandomStream::seeded(seed_for("bingham: metropolis chain"));
  const auto distance = [&](const ApproximateSampler<Matrix>& sampler) {
    std::vector<double> sample(kChains);
    for (double& value : sample) {
      value = std::abs(sampler.draw(stream)(0, 0));
    }
    return distance_from_density(sample, density);
  };
  EXPECT_LT(distance(chain), limit);
  EXPECT_GT(distance(block), limit);  // the proposals alone: the weight matters at this exponent
}

}  // namespace
}  // namespace eigenveil::test::bingham_chains_test
