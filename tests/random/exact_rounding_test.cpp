// The slow path: enclosures, comparisons at the boundary, agreement with the fast path.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "random/normal.hpp"
#include "random/rounding_engine.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::exact_rounding_test {
namespace {

using detail::BigInteger;
using detail::NoiseLaw;
using Reference = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<200>,
                                                boost::multiprecision::et_off>;

#ifdef EIGENVEIL_SANITIZE
constexpr int kDraws = 2'000;
constexpr std::array kReaches{1.0};
#else
constexpr int kDraws = 100'000;
constexpr std::array kReaches{0.0, 1.0, 7.0};
#endif

struct NamedLaw {
  const NoiseLaw& law;
  Reference (*survival)(const Reference&);
};

Reference gaussian_survival(const Reference& t) {
  return boost::math::erfc(t / sqrt(Reference(2)));
}
Reference laplace_survival(const Reference& t) {
  return exp(-t);
}
const std::array<NamedLaw, 2> kLaws{NamedLaw{detail::kGaussianLaw, gaussian_survival},
                                    NamedLaw{detail::kLaplaceLaw, laplace_survival}};

std::uint64_t zero_word() {
  return 0;
}

TEST(ExactRounding, EnclosuresContainTheSurvivalFunctionAndAreNarrow) {
  for (const auto& [law, survival] : kLaws) {
    for (const unsigned precision : {127U, 191U, 319U, 511U}) {
      for (const double t : {1e-30, 1e-3, 0.5, 1.0, 2.25, 6.0, 9.5, 15.0}) {
        const BigInteger denominator = BigInteger(1) << 200U;
        const Reference scaled = ldexp(Reference(t), 200);
        const detail::Ratio ratio{static_cast<BigInteger>(scaled), denominator};
        const detail::FixedInterval box = law.survival(ratio, precision);
        const Reference exact_t = Reference(ratio.numerator) / Reference(denominator);
        const Reference value = ldexp(survival(exact_t), static_cast<int>(precision));
        EXPECT_LE(Reference(box.lower), value) << t;
        EXPECT_GE(Reference(box.upper), value) << t;
        // The guard of 64 bits in the comparison needs no more than this.
        EXPECT_LT(box.upper - box.lower, BigInteger(1) << 24U) << t << " " << precision;
      }
    }
  }
}

/// The first word and the further words of a tail.
struct BoundaryDraw {
  std::uint64_t first = 0;
  std::vector<std::uint64_t> more;
};

/// Writes `digits` (63 + 64 extra_words binary digits) as words.
BoundaryDraw to_words(BigInteger digits, std::size_t extra_words) {
  BoundaryDraw draw;
  draw.more.resize(extra_words);
  for (std::size_t i = extra_words; i-- > 0;) {
    draw.more[i] = static_cast<std::uint64_t>(digits & BigInteger(~std::uint64_t{0}));
    digits >>= 64U;
  }
  draw.first = static_cast<std::uint64_t>(digits);
  return draw;
}

/// Draws whose tail is S(t) cut after some words, plus or minus one unit of the last, for the
/// boundary t between k and k + 1. Returns how many of them `round` gets wrong.
template <typename Round>
int boundary_failures(const NamedLaw& named, double s, double offset, std::int64_t k, bool negative,
                      const Round& round) {
  // The sign flips offset and result together.
  const Reference g = negative ? -Reference(offset) : Reference(offset);
  const Reference t = (Reference(k) + Reference(0.5) - g) / Reference(s);
  if (t <= 0) {
    return 0;
  }
  const Reference survival = named.survival(t);
  int failures = 0;
  for (const std::size_t extra : {0U, 1U, 2U, 5U}) {
    const auto bits = static_cast<int>(detail::kFirstTailBits + 64 * extra);
    for (const int side : {-1, 1}) {
      const BigInteger digits = static_cast<BigInteger>(ldexp(survival, bits)) + side;
      if (digits < 0) {
        continue;
      }
      const BoundaryDraw draw = to_words(digits, extra);
      const detail::NextWord next_word = [&draw, used = std::size_t{0}]() mutable {
        // Not zero: a tail of zeros only has probability zero and is never decided.
        return used < draw.more.size() ? draw.more[used++] : std::uint64_t{1} << 63U;
      };
      const std::uint64_t sign = negative ? std::uint64_t{1} << 63U : 0;
      const std::int64_t rounded = round(named.law, s, sign | draw.first, offset, next_word);
      const std::int64_t magnitude = negative ? -rounded : rounded;
      // A unit of the first two words can still be many grid steps out in the tail.
      const std::int64_t nearest = side < 0 ? k + 1 : k;
      const bool right_side = (magnitude > k) == (side < 0);
      failures += right_side && (extra < 2 || magnitude == nearest) ? 0 : 1;
    }
  }
  return failures;
}

std::int64_t by_engine(const NoiseLaw& law, double s, std::uint64_t word, double offset,
                       const detail::NextWord& next_word) {
  std::int64_t rounded = 0;
  detail::round_block(law, s, {&word, 1}, {&offset, 1}, {&rounded, 1}, next_word);
  return rounded;
}

/// Broken twin: inversion of the first word in doubles, no more bits.
std::int64_t in_doubles(const NoiseLaw& law, double s, std::uint64_t word, double offset,
                        const detail::NextWord& /*next_word*/) {
  double tail = 0.0;
  double magnitude = 0.0;
  detail::split_tails({&word, 1}, {&tail, 1});
  law.magnitudes({&tail, 1}, {&magnitude, 1});
  const double sign = (word >> 63U) != 0 ? -1.0 : 1.0;
  return std::llrint(offset + sign * s * magnitude);
}

/// Sum of the failures over both laws, signs, scales, offsets and boundaries out to 7 s.
template <typename Round>
int all_boundary_failures(const Round& round) {
  int failures = 0;
  for (const NamedLaw& named : kLaws) {
    for (const double s : {1.0, 3.7, 0x1.3p20, 0x1p40}) {
      for (const double offset : {5e-324, 0.5, 0.999}) {
        for (const double reach : kReaches) {
          const auto k = static_cast<std::int64_t>(reach * s);
          failures += boundary_failures(named, s, offset, k, false, round);
          failures += boundary_failures(named, s, offset, k, true, round);
        }
      }
    }
  }
  return failures;
}

TEST(ExactRounding, DecidesDrawsOneUnitFromTheBoundary) {
  EXPECT_EQ(all_boundary_failures(by_engine), 0);
  EXPECT_GT(all_boundary_failures(in_doubles), 0);
}

TEST(ExactRounding, EverySlowDrawWithoutBracketDecidesTheSame) {
  for (const NamedLaw& named : kLaws) {
    for (const double s : {1.0, 3.7, 0x1.3p20}) {
      EXPECT_EQ(boundary_failures(named, s, 0.25, static_cast<std::int64_t>(2.0 * s), false,
                                  detail::round_exactly),
                0);
    }
  }
}

TEST(ExactRounding, ExtremeTailFollowsTheFurtherWords) {
  // 63 + 64 zero digits, then `third`: V is about third * 2^-191.
  for (const NamedLaw& named : kLaws) {
    for (const std::uint64_t third : {1ULL, 1ULL << 40U, ~0ULL}) {
      std::vector<std::uint64_t> words{0, third, 0};
      std::size_t used = 0;
      const detail::NextWord next_word = [&] {
        return used < words.size() ? words[used++] : std::uint64_t{1} << 63U;
      };
      const double s = 1000.0;
      const std::int64_t k = by_engine(named.law, s, 0, 0.25, next_word);
      const Reference lower = (Reference(k) - Reference(0.75)) / s;
      const Reference upper = (Reference(k) + Reference(0.25)) / s;
      const Reference v = ldexp(Reference(third), -191);
      const Reference next = ldexp(Reference(third) + 1, -191);
      EXPECT_GE(named.survival(lower), v);
      EXPECT_LE(named.survival(upper), next);
      EXPECT_GE(used, 2U);
      // The truncated twin stops at the largest double-precision magnitude.
      EXPECT_LT(in_doubles(named.law, s, 0, 0.25, zero_word), k);
    }
  }
}

/// k is right exactly when the draw lies between k - 1/2 and k + 1/2: two exact comparisons.
bool is_rounding(const NoiseLaw& law, double s, std::uint64_t word, double offset, std::int64_t k,
                 const detail::NextWord& next_word) {
  const bool negative = (word >> 63U) != 0;
  const std::int64_t magnitude = negative ? -k : k;
  detail::ExactRounding rounding(law, s, negative ? -offset : offset,
                                 detail::LazyTail(word, next_word));
  return rounding.exceeds_half_above(magnitude - 1) && !rounding.exceeds_half_above(magnitude);
}

/// Draws whose fast result an exact comparison contradicts.
int contradictions(const NoiseLaw& law, double s, int draws, std::int64_t spoil_every) {
  RandomStream stream = RandomStream::seeded(test::seed_for("fast against exact"));
  int wrong = 0;
  for (int i = 0; i < draws; ++i) {
    const std::uint64_t word = stream.bits64();
    const double offset = uniform(stream);
    // One continuation for both readers of the draw.
    const std::uint64_t continuation = stream.bits64();
    const detail::NextWord next_word = [continuation] { return continuation; };
    std::int64_t k = by_engine(law, s, word, offset, next_word);
    k += spoil_every > 0 && i % spoil_every == 0 ? 1 : 0;
    wrong += is_rounding(law, s, word, offset, k, next_word) ? 0 : 1;
  }
  return wrong;
}

TEST(ExactRounding, FastPathAgreesWithExactComparisonOnTheSameBits) {
  for (const NamedLaw& named : kLaws) {
    EXPECT_EQ(contradictions(named.law, 0x1.7p20, kDraws, 0), 0);
    EXPECT_EQ(contradictions(named.law, 1.5, kDraws / 20, 0), 0);
    EXPECT_EQ(contradictions(named.law, 0x1.1p37, kDraws / 20, 0), 0);
    EXPECT_EQ(contradictions(named.law, 0x1p40, kDraws / 20, 0), 0);
    EXPECT_EQ(contradictions(named.law, 0x1.7p20, 1000, 100), 10);
  }
}

TEST(ExactRounding, AllSlowSearchGivesTheIntegersOfTheFastPath) {
  for (const NamedLaw& named : kLaws) {
    RandomStream stream = RandomStream::seeded(test::seed_for("all slow"));
    for (const double s : {1.0, 3.7, 0x1.9p20}) {
      for (int i = 0; i < kDraws / 200; ++i) {
        const std::uint64_t word = stream.bits64();
        const double offset = uniform(stream);
        ASSERT_EQ(by_engine(named.law, s, word, offset, zero_word),
                  detail::round_exactly(named.law, s, word, offset, zero_word));
      }
    }
  }
}

TEST(ExactRounding, MatchesFiftyDigitInversion) {
  using Digits50 = boost::multiprecision::cpp_bin_float_50;
  RandomStream stream = RandomStream::seeded(test::seed_for("fifty digit inversion"));
  constexpr double kSteps = 0x1.7p20;
  for (int i = 0; i < 400; ++i) {
    const std::uint64_t word = stream.bits64();
    const double offset = uniform(stream);
    const Digits50 v = ldexp(Digits50(word & detail::kTailMask) + Digits50(0.5), -63);
    const Digits50 sign = (word >> 63U) != 0 ? -1 : 1;
    const Digits50 normal = sqrt(Digits50(2)) * boost::math::erfc_inv(v);
    const Digits50 laplace = -log(v);
    // The midpoint of the first word: the next digit is 1, then zeros.
    const detail::NextWord next_word = [first = true]() mutable {
      return std::exchange(first, false) ? std::uint64_t{1} << 63U : 0;
    };
    EXPECT_EQ(Digits50(by_engine(detail::kGaussianLaw, kSteps, word, offset, next_word)),
              round(Digits50(offset) + sign * kSteps * normal));
    EXPECT_EQ(Digits50(by_engine(detail::kLaplaceLaw, kSteps, word, offset, next_word)),
              round(Digits50(offset) + sign * kSteps * laplace));
  }
}

}  // namespace
}  // namespace eigenveil::test::exact_rounding_test
