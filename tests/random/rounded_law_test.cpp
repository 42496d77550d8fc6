#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/laplace.hpp>
#include <boost/math/distributions/normal.hpp>
#include <functional>
#include <vector>

#include "eigenveil/random/rounded_noise.hpp"
#include "random/normal.hpp"
#include "support/alpha_ledger.hpp"
#include "support/goodness_of_fit.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::rounded_law_test {
namespace {

/// A rounded law: its sampler and the distribution function of Z.
struct Law {
  std::function<void(RandomStream&, double, std::span<const double>, std::span<std::int64_t>)> draw;
  std::function<double(double)> cdf;
};

const Law kGaussian{round_with_gaussian, [](double z) {
                      return boost::math::cdf(boost::math::normal_distribution<double>(), z);
                    }};
const Law kLaplace{round_with_laplace, [](double z) {
                     return boost::math::cdf(boost::math::laplace_distribution<double>(), z);
                   }};

/// What a sampler gives for `count` copies of one offset.
using Sampler = std::function<std::vector<std::int64_t>(RandomStream&, double s, double offset,
                                                        std::size_t count)>;

Sampler exact(const Law& law) {
  return [&law](RandomStream& stream, double s, double offset, std::size_t count) {
    const std::vector<double> offsets(count, offset);
    std::vector<std::int64_t> rounded(count);
    law.draw(stream, s, offsets, rounded);
    return rounded;
  };
}

/// Continuous noise in doubles through an arbitrary wrong rounding; enough for the twins.
Sampler rounded_by(const std::function<double(double)>& rounding, double sigma_factor = 1.0) {
  return [=](RandomStream& stream, double s, double offset, std::size_t count) {
    std::vector<double> normals(count);
    fill_standard_normal(stream, normals);
    std::vector<std::int64_t> rounded(count);
    std::ranges::transform(normals, rounded.begin(), [&](double z) {
      return static_cast<std::int64_t>(rounding(offset + sigma_factor * s * z));
    });
    return rounded;
  };
}

/// Cells: every integer within 6 s of zero, and the two tails beyond.
double p_value(const Law& law, const Sampler& sampler, double s, double offset,
               std::size_t count = 1'000'000) {
  RandomStream stream = RandomStream::seeded(test::seed_for("rounded cells"));
  const auto reach = static_cast<std::int64_t>(6.0 * s);
  std::vector<std::size_t> counts(static_cast<std::size_t>(2 * reach + 3), 0);
  for (const std::int64_t k : sampler(stream, s, offset, count)) {
    ++counts[static_cast<std::size_t>(std::clamp(k, -reach - 1, reach + 1) + reach + 1)];
  }
  const auto below = [&](std::int64_t k) {  // P(K < k); K = k means k - 1/2 < f + s Z < k + 1/2
    return law.cdf((static_cast<double>(k) - 0.5 - offset) / s);
  };
  std::vector<double> probabilities{below(-reach)};
  for (std::int64_t k = -reach; k <= reach; ++k) {
    probabilities.push_back(below(k + 1) - below(k));
  }
  probabilities.push_back(1.0 - below(reach + 1));
  return test::cell_p_value(probabilities, counts);
}

constexpr double kCells = test::alpha_of("random: rounded cells") / 24.0;  // 24 checks below

TEST(RoundedLaw, EveryCellHasTheProbabilityOfTheRoundedContinuousLaw) {
  for (const Law* law : {&kGaussian, &kLaplace}) {
    for (const double s : {1.0, 1.5, 3.7}) {
      for (const double offset : {0.0, 0.25, 0.5, 0.999}) {
        EXPECT_GT(p_value(*law, exact(*law), s, offset), kCells) << s << " " << offset;
      }
    }
  }
}

TEST(RoundedLaw, CellTestRejectsBrokenTwins) {
  const auto nearest = [](double x) { return std::nearbyint(x); };
  // The harness itself is sound on a right sampler ...
  EXPECT_GT(p_value(kGaussian, rounded_by(nearest), 3.7, 0.25), kCells);
  // ... and sees each of these.
  const auto floor = [](double x) { return std::floor(x); };
  const auto truncate = [](double x) { return std::trunc(x); };
  EXPECT_LT(p_value(kGaussian, rounded_by(floor), 3.7, 0.25), kCells);
  EXPECT_LT(p_value(kGaussian, rounded_by(truncate), 3.7, 0.25), kCells);
  EXPECT_LT(p_value(kGaussian, rounded_by(nearest, 0.98), 3.7, 0.25), kCells);
  const Sampler offset_ignored = [](RandomStream& stream, double s, double, std::size_t count) {
    return exact(kGaussian)(stream, s, 0.0, count);
  };
  EXPECT_LT(p_value(kGaussian, offset_ignored, 3.7, 0.25), kCells);
  EXPECT_LT(p_value(kLaplace, exact(kGaussian), 3.7, 0.25), kCells);
  // Rounding that loses the offset for one sign only.
  const Sampler one_sided = [](RandomStream& stream, double s, double offset, std::size_t count) {
    auto shifted = exact(kGaussian)(stream, s, offset, count);
    const auto centred = exact(kGaussian)(stream, s, 0.0, count);
    for (std::size_t i = 0; i < count; ++i) {
      shifted[i] = centred[i] < 0 ? centred[i] : shifted[i];
    }
    return shifted;
  };
  EXPECT_LT(p_value(kGaussian, one_sided, 3.7, 0.25), kCells);
}

double mechanism_scale_distance(const Law& law, const Sampler& sampler, double offset,
                                std::size_t count) {
  constexpr double kSteps = 0x1.4p20;
  RandomStream stream = RandomStream::seeded(test::seed_for("rounded at mechanism scale"));
  std::vector<double> values;
  for (const std::int64_t k : sampler(stream, kSteps, offset, count)) {
    values.push_back(static_cast<double>(k));
  }
  return test::kolmogorov_distance(
      values, [&](double k) { return law.cdf((k + 0.5 - offset) / kSteps); },
      [&](double k) { return law.cdf((k - 0.5 - offset) / kSteps); });
}

TEST(RoundedLaw, MechanismScaleFollowsTheContinuousLaw) {
  constexpr std::size_t kCount = 3'000'000;
  const double limit =
      test::dkw_limit(kCount, test::alpha_of("random: rounded at mechanism scale") / 2.0);
  EXPECT_LT(mechanism_scale_distance(kGaussian, exact(kGaussian), 0.75, kCount), limit);
  EXPECT_LT(mechanism_scale_distance(kLaplace, exact(kLaplace), 0.75, kCount), limit);
  const auto nearest = [](double x) { return std::nearbyint(x); };
  EXPECT_GT(mechanism_scale_distance(kGaussian, rounded_by(nearest, 0.98), 0.75, kCount), limit);
  EXPECT_GT(mechanism_scale_distance(kLaplace, exact(kGaussian), 0.75, kCount), limit);
}

TEST(RoundedLaw, ASeedFixesTheOutcome) {
  for (const Law* law : {&kGaussian, &kLaplace}) {
    RandomStream a = RandomStream::seeded(9);
    RandomStream b = RandomStream::seeded(9);
    RandomStream c = RandomStream::seeded(10);
    const auto first = exact(*law)(a, 0x1p20, 0.5, 5000);
    EXPECT_EQ(first, exact(*law)(b, 0x1p20, 0.5, 5000));
    EXPECT_NE(first, exact(*law)(c, 0x1p20, 0.5, 5000));
  }
}

}  // namespace
}  // namespace eigenveil::test::rounded_law_test
