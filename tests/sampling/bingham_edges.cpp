// Shapes, refusals, limits of the number range, and independence of the number of threads.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "random/normal.hpp"
#include "sampling/bingham.hpp"
#include "sampling/bingham_draws.hpp"
#include "sampling/bingham_gibbs.hpp"
#include "sampling/gaussian_block.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::bingham_edges_test {
namespace {

/// Rounding alone: a few dozen operations per entry, sums of at most 10^4 terms.
constexpr double kRounding = 1e-11;

double orthonormality_error(const Matrix& v) {
  return (v.transpose() * v - Matrix::Identity(v.cols(), v.cols())).cwiseAbs().maxCoeff();
}

Vector descending(Eigen::Index p, double top) {
  return Vector::LinSpaced(p, top, 0.0);
}

TEST(Bingham, RefusesBadRequests) {
  const Vector spectrum = descending(5, 1.0);
  const auto refused = [](const Vector& values, double exponent, Eigen::Index columns) {
    return !BinghamSampler::make(values, exponent, columns) &&
           !BinghamGibbsSampler::make(values, exponent, columns, 5) &&
           !GaussianBlockSampler::make(values, exponent, columns);
  };
  EXPECT_TRUE(refused(Vector(), 1.0, 1));
  EXPECT_TRUE(refused(spectrum, 1.0, 0));
  EXPECT_TRUE(refused(spectrum, 1.0, 6));
  EXPECT_TRUE(refused(spectrum, -1.0, 1));
  EXPECT_TRUE(refused(spectrum, std::numeric_limits<double>::infinity(), 1));
  EXPECT_TRUE(refused(spectrum, std::numeric_limits<double>::quiet_NaN(), 1));
  EXPECT_TRUE(refused(spectrum, 1e150, 1));
  EXPECT_TRUE(refused(spectrum.reverse(), 1.0, 1));
  Vector broken = spectrum;
  broken[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(refused(broken, 1.0, 1));
  EXPECT_FALSE(BinghamGibbsSampler::make(spectrum, 1.0, 2, 0));
  EXPECT_FALSE(GaussianBlockChain::make(spectrum, 1.0, 2, 0));
  EXPECT_FALSE(GaussianBlockSampler::make(spectrum, 0.0, 2));
  EXPECT_FALSE(GaussianBlockSampler::make(spectrum, 1.0, 5));
  EXPECT_FALSE(GaussianBlockSampler::make(Vector::Ones(4), 1.0, 2));
}

/// One column captured, 59 left in the bulk: refused before anything is drawn, unless asked for.
TEST(Bingham, RefusesTheInefficientRegimeUpFront) {
  Vector spectrum = Vector::LinSpaced(200, 2.0, 0.1);
  spectrum[0] = 15.0;
  const double exponent = 100.0 * 0.3;
  EXPECT_FALSE(BinghamSampler::make(spectrum, exponent, 60));
  EXPECT_TRUE(BinghamSampler::make(spectrum, exponent, 4));
  const auto asked = BinghamSampler::make(spectrum, exponent, 60, 1e300);
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->outlook().captured, 1);
  RandomStream stream = RandomStream::seeded(seed_for("bingham: refused regime"));
  EXPECT_FALSE(asked->draw_within(stream, 3));
  EXPECT_TRUE(BinghamSampler::make(spectrum, exponent, 1));
  EXPECT_TRUE(BinghamSampler::make(spectrum, 0.0, 4));
  EXPECT_EQ(BinghamSampler::make(spectrum, 0.01, 4)->outlook().captured, 0);
  EXPECT_EQ(BinghamSampler::make(spectrum, 1e6, 4)->outlook().captured, 4);
}

TEST(Bingham, EveryShapeIsOrthonormal) {
  RandomStream stream = RandomStream::seeded(seed_for("bingham: shapes"));
  for (Eigen::Index p = 1; p <= 7; ++p) {
    for (Eigen::Index k = 1; k <= p; ++k) {
      for (const double exponent : {0.0, 1e-8, 1.0, 50.0, 1e6}) {
        const Vector spectrum = descending(p, 1.0);
        constexpr double kAnyNumber = std::numeric_limits<double>::infinity();
        const auto sampler = BinghamSampler::make(spectrum, exponent, k, kAnyNumber);
        ASSERT_TRUE(sampler);
        const Matrix v = sampler->draw(stream);
        ASSERT_EQ(v.rows(), p);
        ASSERT_EQ(v.cols(), k);
        EXPECT_LT(orthonormality_error(v), kRounding) << p << k << exponent;
        const auto gibbs = BinghamGibbsSampler::make(spectrum, exponent, k, 2);
        EXPECT_LT(orthonormality_error(gibbs->draw(stream)), kRounding) << p << k << exponent;
        if (const auto chain = GaussianBlockChain::make(spectrum, exponent, k, 5)) {
          EXPECT_LT(orthonormality_error(chain->draw(stream)), kRounding) << p << k << exponent;
        }
        if (const auto block = GaussianBlockSampler::make(spectrum, exponent, k)) {
          EXPECT_LT(orthonormality_error(block->draw(stream)), kRounding) << p << k << exponent;
        }
      }
    }
  }
}

TEST(Bingham, TenThousandCoordinatesDoNotOverflow) {
  RandomStream stream = RandomStream::seeded(seed_for("bingham: ten thousand"));
  for (const double exponent : {1.0, 2e3, 2e4, 1e6, 1e12}) {
    const auto sampler = BinghamSampler::make(descending(10'000, 15.0), exponent, 1).value();
    EXPECT_LT(orthonormality_error(sampler.draw(stream)), kRounding);
  }
  Vector spectrum = descending(10'000, 2.0);
  spectrum.head(3) << 15.0, 10.0, 6.0;
  EXPECT_LT(orthonormality_error(BinghamSampler::make(spectrum, 2e4, 3)->draw(stream)), kRounding);
  EXPECT_LT(orthonormality_error(BinghamSampler::make(spectrum, 1.0, 3)->draw(stream)), kRounding);
}

TEST(Bingham, DrawsDoNotDependOnThreads) {
  Vector spectrum = descending(30, 2.0);
  spectrum[0] = 9.0;
  const auto sampler = BinghamSampler::make(spectrum, 40.0, 2).value();
  const auto gibbs = BinghamGibbsSampler::make(spectrum, 40.0, 2, 2).value();
  const auto draws = [&](const auto& which, unsigned threads) {
    RandomStream stream = RandomStream::seeded(seed_for("bingham: threads"));
    auto frames = draw_many(which, 200, stream, threads);
    auto more = draw_many(which, 3, stream, threads);
    frames.insert(frames.end(), more.begin(), more.end());
    return frames;
  };
  const auto one = draws(sampler, 1);
  EXPECT_EQ(one, draws(sampler, 3));
  EXPECT_EQ(one, draws(sampler, 0));
  EXPECT_EQ(draws(gibbs, 1), draws(gibbs, 2));
  EXPECT_NE(one[0], one[1]);
  EXPECT_NE(one[0], one[64]);
  EXPECT_NE(one[0], one[200]);  // a second call gives new frames
  RandomStream stream = RandomStream::seeded(1);
  EXPECT_TRUE(draw_many(sampler, 0, stream, 2).empty());
}

RC_GTEST_PROP(Bingham, AnySpectrumGivesOrthonormalFrames, ()) {
  const auto p = *rc::gen::inRange<Eigen::Index>(2, 40);
  const auto k = *rc::gen::inRange<Eigen::Index>(1, std::min<Eigen::Index>(p, 4));
  RandomStream stream = RandomStream::seeded(*rc::gen::arbitrary<std::uint64_t>());
  Vector spectrum(p);
  const int ties = *rc::gen::inRange(1, 6);
  for (double& value : spectrum) {
    value = std::floor(uniform(stream) * ties * 4.0) / 4.0;
  }
  std::ranges::sort(spectrum, std::greater<>());
  const double exponent = std::pow(10.0, *rc::gen::inRange(-3, 7));
  const auto sampler = BinghamSampler::make(spectrum, exponent, k, 1e3);
  RC_PRE(sampler.has_value());
  RC_ASSERT(orthonormality_error(sampler->draw(stream)) < kRounding);
}

}  // namespace
}  // namespace eigenveil::test::bingham_edges_test
