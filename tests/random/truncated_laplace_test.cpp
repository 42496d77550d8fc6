// Truncated Laplace noise: the two properties of its proof by exact enumeration, the draws against
// the table, and twins that break either.
#include "random/truncated_laplace.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/alpha_ledger.hpp"
#include "support/goodness_of_fit.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::truncated_laplace_test {
namespace {

/// The exact hockey-stick divergence between noise about 0 and noise about `shift`, in long double:
/// weights are integers below 2^126, so each probability is good to 2^-63.
long double divergence(const TruncatedLaplace& noise, std::int64_t shift, double epsilon) {
  const auto total = static_cast<long double>(noise.total());
  long double excess = 0.0L;
  for (std::int64_t y = -noise.bound(); y <= noise.bound(); ++y) {
    const auto first = static_cast<long double>(noise.weight(y));
    const auto second = static_cast<long double>(noise.weight(y - shift));
    excess += std::max(0.0L, first - std::exp(static_cast<long double>(epsilon)) * second);
  }
  return excess / total;
}

struct Setting {
  std::int64_t sensitivity;
  double epsilon;
  double delta;
};

constexpr Setting kSettings[] = {{1, 1.0, 1e-6}, {2, 1.0, 1e-6}, {2, 0.1, 1e-3},  {3, 4.0, 1e-9},
                                 {1, 0.5, 0.5},  {7, 0.3, 0.25}, {40, 1.0, 1e-5}, {1, 20.0, 1e-12}};

TEST(TruncatedLaplace, EveryShiftIsWithinTheClaim) {
  for (const Setting& s : kSettings) {
    const TruncatedLaplace noise = *TruncatedLaplace::make(s.sensitivity, s.epsilon, s.delta);
    for (std::int64_t shift = -s.sensitivity; shift <= s.sensitivity; ++shift) {
      // 2^-60: rounding of the long double sum.
      EXPECT_LE(divergence(noise, shift, s.epsilon), s.delta + 0x1p-60L)
          << s.sensitivity << " " << s.epsilon << " " << s.delta << " shift " << shift;
    }
    // Twin: a sensitivity that is one too small is found out.
    EXPECT_GT(divergence(noise, s.sensitivity + 1, s.epsilon), s.delta);
  }
}

TEST(TruncatedLaplace, TheBoundIsTheSmallestAndNearTheContinuousOne) {
  for (const Setting& s : kSettings) {
    const TruncatedLaplace noise = *TruncatedLaplace::make(s.sensitivity, s.epsilon, s.delta);
    const double continuous = static_cast<double>(s.sensitivity) / s.epsilon *
                              std::log1p(std::expm1(s.epsilon) / (2.0 * s.delta));
    if (noise.bound() > s.sensitivity) {
      EXPECT_LE(static_cast<double>(noise.bound()),
                continuous + static_cast<double>(s.sensitivity) + 1.0);
    }
    // A shorter table of the same shape would put more than delta outside.
    UInt128 outer = 0;
    UInt128 total = noise.total() - 2 * noise.weight(noise.bound());
    for (std::int64_t j = 1; j <= s.sensitivity; ++j) {
      outer += noise.weight(noise.bound() - j);
    }
    if (noise.bound() > s.sensitivity) {
      EXPECT_GT(static_cast<double>(outer) / static_cast<double>(total), s.delta * 0.999);
    }
  }
}

TEST(TruncatedLaplace, IntegerWeightsKeepTheRatio) {
  for (const Setting& s : kSettings) {
    const TruncatedLaplace noise = *TruncatedLaplace::make(s.sensitivity, s.epsilon, s.delta);
    const long double factor = std::exp(static_cast<long double>(s.epsilon));
    for (std::int64_t x = 0; x + s.sensitivity <= noise.bound(); ++x) {
      EXPECT_LE(
          static_cast<long double>(noise.weight(x)),
          factor * static_cast<long double>(noise.weight(x + s.sensitivity)) * (1.0L + 0x1p-58L));
      EXPECT_EQ(noise.weight(x), noise.weight(-x));
    }
  }
}

TEST(TruncatedLaplace, DrawsFollowTheTable) {
  const TruncatedLaplace noise = *TruncatedLaplace::make(2, 1.0, 1e-2);
  RandomStream stream = RandomStream::seeded(seed_for("truncated laplace draws"));
  std::vector<double> probabilities;
  std::vector<double> twin;  // sensitivity 1 in place of 2
  const TruncatedLaplace narrower = *TruncatedLaplace::make(1, 1.0, 1e-2);
  for (std::int64_t x = -noise.bound(); x <= noise.bound(); ++x) {
    probabilities.push_back(noise.probability(x));
    twin.push_back(narrower.probability(x));
  }
  std::vector<std::size_t> counts(probabilities.size());
  for (int i = 0; i < 200'000; ++i) {
    ++counts[static_cast<std::size_t>(noise.draw(stream) + noise.bound())];
  }
  const double alpha = alpha_of("random: truncated laplace");
  EXPECT_GT(cell_p_value(probabilities, counts), alpha);
  EXPECT_LT(cell_p_value(twin, counts), alpha);
}

TEST(TruncatedLaplace, RefusesWhatItCannotDo) {
  EXPECT_FALSE(TruncatedLaplace::make(0, 1.0, 1e-6));
  EXPECT_FALSE(TruncatedLaplace::make(1, 0.0, 1e-6));
  EXPECT_FALSE(TruncatedLaplace::make(1, 1.0, 0.0));
  EXPECT_FALSE(TruncatedLaplace::make(1, 1.0, 1.0));
  EXPECT_FALSE(TruncatedLaplace::make(1, 1e-9, 1e-8));
  EXPECT_FALSE(TruncatedLaplace::make(1, 1.0, 1e-40));
}

}  // namespace
}  // namespace eigenveil::test::truncated_laplace_test
