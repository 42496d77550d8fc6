#include "random/normal.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <boost/math/distributions/normal.hpp>
#include <vector>

#include "support/alpha_ledger.hpp"
#include "support/goodness_of_fit.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::normal_test {
namespace {

TEST(Normal, FollowsTheNormalDistributionFunction) {
  constexpr std::size_t kCount = 3'000'000;
  RandomStream stream = RandomStream::seeded(test::seed_for("standard normal"));
  std::vector<double> values(kCount);
  fill_standard_normal(stream, values);
  const auto cdf = [](double z) {
    return boost::math::cdf(boost::math::normal_distribution<double>(), z);
  };
  const double limit = test::dkw_limit(kCount, test::alpha_of("random: standard normal"));
  EXPECT_LT(test::kolmogorov_distance(values, cdf), limit);

  std::vector<double> narrow = values;
  for (double& value : narrow) {
    value *= 0.98;
  }
  EXPECT_GT(test::kolmogorov_distance(narrow, cdf), limit);
  std::vector<double> cut = values;  // tails cut at two
  std::erase_if(cut, [](double value) { return std::abs(value) > 2.0; });
  EXPECT_GT(test::kolmogorov_distance(cut, cdf), limit);
}

TEST(Normal, ChunksOfAFillAreTheSameDraws) {
  RandomStream a = RandomStream::seeded(3);
  RandomStream b = RandomStream::seeded(3);
  std::vector<double> whole(5000);
  std::vector<double> parts(5000);
  fill_standard_normal(a, whole);
  fill_standard_normal(b, std::span(parts).first(1234));
  fill_standard_normal(b, std::span(parts).subspan(1234));
  EXPECT_EQ(whole, parts);
}

// Release builds run the widest instruction set of the machine, sanitizer builds the plain code:
// both must give these bits.
TEST(Normal, ASeedGivesTheSameBitsOnEveryInstructionSet) {
  RandomStream stream = RandomStream::seeded(2026);
  std::vector<double> values(100'003);
  fill_standard_normal(stream, values);
  std::uint64_t hash = 0;
  for (const double value : values) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3U;
  }
  EXPECT_EQ(hash, 7888775580902952804U);
}

TEST(Normal, UniformIsUniform) {
  constexpr std::size_t kCount = 1'000'000;
  RandomStream stream = RandomStream::seeded(test::seed_for("uniform"));
  std::vector<double> values(kCount);
  for (double& value : values) {
    value = uniform(stream);
    ASSERT_TRUE(value > 0.0 && value < 1.0);
  }
  const auto cdf = [](double u) { return u; };
  const double limit = test::dkw_limit(kCount, test::alpha_of("random: uniform"));
  EXPECT_LT(test::kolmogorov_distance(values, cdf), limit);
  for (double& value : values) {
    value *= 0.99;
  }
  EXPECT_GT(test::kolmogorov_distance(values, cdf), limit);
}

}  // namespace
}  // namespace eigenveil::test::normal_test
