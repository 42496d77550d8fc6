// Two-sided Wishart noise: whole releases against a multiprecision recomputation from the same
// uniforms, the law of quadratic forms, and the enclosures of single normals.
#include "random/rounded_wishart.hpp"

#include <gtest/gtest.h>

#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <map>
#include <vector>

#include "random/lazy_normal.hpp"
#include "support/alpha_ledger.hpp"
#include "support/goodness_of_fit.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::rounded_wishart_test {
namespace {

using detail::BigInteger;
using Reference = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<70>,
                                                boost::multiprecision::et_off>;
using Entries = std::map<std::pair<std::size_t, std::size_t>, std::int64_t>;

/// The normal whose tail has these digits, 63 from the word and 64 from every further one.
Reference reference_normal(std::uint64_t word, const std::vector<std::uint64_t>& further) {
  Reference tail = ldexp(Reference(word & detail::kTailMask), -63);
  int bits = 63;
  for (const std::uint64_t more : further) {
    bits += 64;
    tail += ldexp(Reference(more), -bits);
  }
  const Reference magnitude = sqrt(Reference(2)) * boost::math::erfc_inv(tail);
  return word >> 63U != 0 ? Reference(-magnitude) : magnitude;
}

constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};

std::vector<std::uint64_t> telling_words(RandomStream& stream, int random) {
  std::vector<std::uint64_t> words = {1,
                                      2,
                                      3,
                                      1000,
                                      detail::kTailMask,
                                      detail::kTailMask - 1,
                                      detail::kTailMask / 2,
                                      detail::kTailMask / 20 * 3};
  for (unsigned shift = 1; shift < 60; ++shift) {
    words.push_back(kAllOnes >> shift);
    words.push_back((kAllOnes >> shift) - (kAllOnes >> (shift + 3)));
  }
  for (int i = 0; i < random; ++i) {
    words.push_back(stream.bits64());
  }
  return words;
}

/// Whatever digits follow: the interval of normals that a word leaves is within the bound.
TEST(LazyNormal, DoublesKeepTheirBoundForEveryContinuation) {
  RandomStream stream = RandomStream::seeded(seed_for("lazy.doubles"));
  for (const std::uint64_t word : telling_words(stream, 3000)) {
    if (detail::has_short_tail(word) || (word & detail::kTailMask) == detail::kTailMask) {
      continue;  // the last one reaches V = 1, where erfc_inv stops
    }
    double value = 0.0;
    detail::approximate_normals({&word, 1}, {&value, 1});
    const double allowed = detail::kNormalError * (1.0 + std::abs(value));
    for (const std::uint64_t more : {std::uint64_t{0}, kAllOnes}) {
      const Reference exact = reference_normal(word, {more});
      EXPECT_LE(static_cast<double>(abs(exact - value)), allowed) << word;
    }
  }
}

TEST(LazyNormal, EnclosuresContainTheNormalAtEveryPrecision) {
  RandomStream stream = RandomStream::seeded(seed_for("lazy.enclosures"));
  for (const std::uint64_t word : telling_words(stream, 200)) {
    const std::vector<std::uint64_t> further = {stream.bits64(), stream.bits64(), stream.bits64()};
    const Reference exact = reference_normal(word, further);
    for (const unsigned precision : {60U, 96U, 140U}) {
      std::size_t next = 0;
      const detail::NormalEnclosure box = detail::enclose_normal(
          word, [&] { return further.at(next++); }, precision);
      const Reference distance =
          abs(ldexp(exact, static_cast<int>(precision)) - Reference(box.centre));
      // Digits that were not asked for may move the reference by less than one unit.
      EXPECT_LE(distance, Reference(box.radius) + 1) << word << " " << precision;
      EXPECT_LE(box.radius, BigInteger(1) << 13U);
      EXPECT_GT(distance + 1, 0);
    }
  }
}

TEST(LazyNormal, AShortTailIsExtended) {
  const std::uint64_t word = 0;  // V < 2^-63 and nothing more is known
  const std::vector<std::uint64_t> further = {std::uint64_t{1} << 40U, 7, 9};
  std::size_t next = 0;
  const double value = detail::precise_normal(word, [&] { return further.at(next++); });
  EXPECT_NEAR(value, static_cast<double>(reference_normal(word, further)), 1e-14);
  EXPECT_GE(next, 2U);
}

/// What the mechanism draws, recomputed: the key of the family, one word a normal column by column,
/// and the digits that follow row by row.
class Recomputed {
 public:
  Recomputed(std::uint64_t seed, std::size_t dimension) : dimension_(dimension) {
    RandomStream stream = RandomStream::seeded(seed);
    const std::uint64_t key = stream.bits64();
    const std::size_t columns = 2 * (dimension + 1);
    std::vector<std::uint64_t> words(dimension * columns);
    stream.fill(words);
    const RandomStream family = trusted::substream(stream, key);
    for (std::size_t row = 0; row < dimension; ++row) {
      std::vector<std::uint64_t> digits(2 * columns);
      trusted::substream(family, 2 * row + 1).fill(digits);
      for (std::size_t column = 0; column < columns; ++column) {
        normals_.push_back(reference_normal(words[column * dimension + row],
                                            {digits[column], digits[columns + column]}));
      }
    }
  }
  std::int64_t entry(std::size_t i, std::size_t j, double s, double offset) const {
    const std::size_t columns = 2 * (dimension_ + 1);
    Reference sum = 0;
    for (std::size_t k = 0; k < columns; ++k) {
      const Reference product = normals_[i * columns + k] * normals_[j * columns + k];
      sum += k < columns / 2 ? product : Reference(-product);
    }
    return static_cast<std::int64_t>(
        floor(Reference(offset) + Reference(s) * sum + Reference(0.5)));
  }

 private:
  std::size_t dimension_;
  std::vector<Reference> normals_;
};

double offset_of(std::size_t row, std::size_t column) {
  return std::fmod(0.377 * static_cast<double>(row + 3 * column), 1.0);
}

struct Drawn {
  Entries entries;
  std::size_t open = 0;
};

Drawn drawn(std::uint64_t seed, double s, std::size_t dimension, double trust) {
  RandomStream stream = RandomStream::seeded(seed);
  Drawn result;
  result.open = detail::round_with_wishart(
      stream, s, dimension, offset_of,
      [&](std::size_t row, std::size_t column, std::int64_t value) {
        EXPECT_TRUE(result.entries.insert({{row, column}, value}).second) << "given twice";
      },
      trust);
  EXPECT_EQ(result.entries.size(), dimension * (dimension + 1) / 2);
  return result;
}

/// At 2^38 steps the error of a product in doubles is a good part of a step, so both ways of
/// deciding an entry are taken often. A bound of zero must give itself away.
TEST(RoundedWishart, WholeReleasesEqualTheMultiprecisionRecomputation) {
  std::size_t open = 0;
  std::size_t entries = 0;
  std::size_t wrong_without_bound = 0;
  for (const std::size_t dimension : {1U, 2U, 3U, 5U}) {
    for (const double s : {0x1p38, 0x1.91p20, 3.0, 0x1.fp55}) {
      for (int release = 0; release < 12; ++release) {
        const std::uint64_t seed =
            seed_for("wishart.release") + 100 * dimension + static_cast<std::uint64_t>(release);
        const Drawn shipped = drawn(seed, s, dimension, 1.0);
        const Drawn twin = drawn(seed, s, dimension, 0.0);
        const Recomputed exact(seed, dimension);
        open += shipped.open;
        for (const auto& [at, value] : shipped.entries) {
          const std::int64_t truth =
              exact.entry(at.first, at.second, s, offset_of(at.first, at.second));
          EXPECT_EQ(value, truth) << dimension << " " << s << " " << release;
          wrong_without_bound += twin.entries.at(at) != truth ? 1 : 0;
          ++entries;
        }
      }
    }
  }
  EXPECT_GT(open, entries / 10);
  EXPECT_LT(open, 9 * entries / 10);
  EXPECT_GT(wrong_without_bound, 0U) << "the broken twin passes";
}

/// Many columns: words are drawn in blocks by several threads, and drawn again for open entries.
TEST(RoundedWishart, BlocksAndDigitsOfManyColumnsBelongTogether) {
  const std::size_t dimension = 190;
  const std::uint64_t seed = seed_for("wishart.blocks");
  const Drawn shipped = drawn(seed, 0x1p20, dimension, 1.0);
  const Drawn careful = drawn(seed, 0x1p20, dimension, 12.0);
  EXPECT_GT(careful.open, 2U);
  EXPECT_EQ(shipped.entries, careful.entries);
  // Words that were drawn anew for the digits but not for the product would be far off.
  const Drawn other = drawn(seed + 1, 0x1p20, dimension, 1.0);
  EXPECT_NE(shipped.entries, other.entries);
}

/// v'Zv / (2 s |v|²) is the difference of two Gamma((p + 1) / 2) variables: for p = 3 its
/// distribution function is 1 - (2 + x) e^-x / 4, x >= 0; for p = 1 it is Laplace's.
TEST(RoundedWishart, QuadraticFormsHaveTheirLaw) {
  constexpr int kReleases = 20'000;
  constexpr double kSteps = 0x1p24;
  const auto laplace = [](double x) { return 1.0 - 0.5 * std::exp(-x); };
  const auto two_each = [](double x) { return 1.0 - 0.25 * (2.0 + x) * std::exp(-x); };
  const auto distance = [](std::vector<double> values, const auto& upper, double scale) {
    return kolmogorov_distance(
        values, [&](double x) { return x >= 0.0 ? upper(x / scale) : 1.0 - upper(-x / scale); });
  };
  const double limit = dkw_limit(kReleases, alpha_of("random: wishart quadratic forms") / 3.0) +
                       std::ldexp(1.0, -20);
  RandomStream stream = RandomStream::seeded(seed_for("wishart.law"));
  std::vector<double> single;
  std::vector<double> diagonal;
  std::vector<double> spread;
  const auto no_offset = [](std::size_t, std::size_t) { return 0.0; };
  for (int i = 0; i < kReleases; ++i) {
    round_with_wishart(stream, kSteps, 1, no_offset, [&](std::size_t, std::size_t, std::int64_t z) {
      single.push_back(static_cast<double>(z) / (2.0 * kSteps));
    });
    double sum = 0.0;
    round_with_wishart(stream, kSteps, 3, no_offset,
                       [&](std::size_t row, std::size_t column, std::int64_t z) {
                         const double entry = static_cast<double>(z) / (2.0 * kSteps);
                         sum += (row == column ? 1.0 : 2.0) * entry;
                         if (row == 1 && column == 1) {
                           diagonal.push_back(entry);
                         }
                       });
    spread.push_back(sum / 3.0);
  }
  EXPECT_LE(distance(single, laplace, 1.0), limit);
  EXPECT_LE(distance(diagonal, two_each, 1.0), limit);
  EXPECT_LE(distance(spread, two_each, 1.0), limit);
  EXPECT_GT(distance(diagonal, two_each, 0.9), limit) << "the broken twin passes";
  EXPECT_GT(distance(diagonal, laplace, 1.0), limit) << "two degrees of freedom pass for four";
}

}  // namespace
}  // namespace eigenveil::test::rounded_wishart_test
