#include "random/exact_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace eigenveil::detail {
namespace {

/// t = (2k + 1 - 2g) / (2s); both sides of the fraction are scaled to integers.
Ratio threshold(std::int64_t k, double signed_offset, double s) {
  const Dyadic g = to_dyadic(signed_offset);  // |g| < 1: the exponent is at most -53
  const Dyadic scale = to_dyadic(s);          // s >= 1: the exponent is at least -52
  const auto g_shift = static_cast<unsigned>(-g.exponent);
  const auto s_shift = static_cast<unsigned>(scale.exponent + 52);
  const BigInteger odd = 2 * BigInteger(k) + 1;
  const BigInteger numerator = (odd << g_shift) - 2 * BigInteger(g.mantissa);
  return {numerator << 52U, BigInteger(scale.mantissa) << (g_shift + s_shift + 1)};
}

/// Digits of S(t) beyond the known digits of V: rounding errors of the series stay far below one
/// unit of V.
constexpr unsigned kGuardBits = 64;
constexpr std::int64_t kLargestResult = std::int64_t{1} << 62;

}  // namespace

void LazyTail::extend() {
  prefix_ = (prefix_ << 64U) + next_word_();
  bits_ += 64;
}

ExactRounding::ExactRounding(const NoiseLaw& law, double s, double signed_offset, LazyTail tail)
    : law_(law), s_(s), signed_offset_(signed_offset), tail_(std::move(tail)) {}

bool ExactRounding::exceeds_half_above(std::int64_t k) {
  const Ratio t = threshold(k, signed_offset_, s_);
  if (t.numerator <= 0) {
    return true;  // |Z| > 0 >= t
  }
  while (true) {
    // |Z| > t exactly when V < S(t).
    const FixedInterval survival = law_.survival(t, tail_.bits() + kGuardBits);
    if ((tail_.prefix() + 1) << kGuardBits <= survival.lower) {
      return true;
    }
    if (tail_.prefix() << kGuardBits >= survival.upper) {
      return false;
    }
    tail_.extend();
  }
}

std::int64_t ExactRounding::round_within(Bracket bracket) {
  while (bracket.lowest < bracket.highest) {
    const std::int64_t middle = bracket.lowest + (bracket.highest - bracket.lowest) / 2;
    if (exceeds_half_above(middle)) {
      bracket.lowest = middle + 1;
    } else {
      bracket.highest = middle;
    }
  }
  return bracket.lowest;
}

std::int64_t ExactRounding::round() {
  Bracket bracket{-1, 1};  // g > -1, so the result is at least -1
  while (bracket.highest < kLargestResult && exceeds_half_above(bracket.highest)) {
    bracket.lowest = bracket.highest + 1;
    bracket.highest *= 2;
  }
  return round_within(bracket);
}

}  // namespace eigenveil::detail
