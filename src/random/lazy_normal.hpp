#pragma once

#include <cstdint>
#include <span>

#include "random/exact_comparison.hpp"

namespace eigenveil::detail {

/// A standard normal g that one uniform word opens: the top bit is its sign, the 63 others open the
/// binary expansion of its tail V = P(|Z| > |g|), and further words extend it. So g is one exact
/// real number, of which as many digits are computed as are asked for.
/// Proof: docs/proofs/rounded_noise.md, section 5.

/// |g - value| <= kNormalError (1 + |value|) for the doubles below.
inline constexpr double kNormalError = 0x1.6p-46;

/// The word leaves V below 2^-16: 63 digits do not fix g well enough for kNormalError.
inline bool has_short_tail(std::uint64_t word) {
  return ((word & kTailMask) >> (kFirstTailBits - 16)) == 0;
}

/// values[i] = g of words[i] within kNormalError, whatever digits follow. Words with a short tail
/// get a value without a bound: replace it by `precise_normal`.
void approximate_normals(std::span<const std::uint64_t> words, std::span<double> values);

/// |g 2^precision - centre| <= radius.
struct NormalEnclosure {
  BigInteger centre;
  BigInteger radius;
};

/// An enclosure of the g that `word` opens and next_word goes on with; the radius is at most 2^12.
NormalEnclosure enclose_normal(std::uint64_t word, const NextWord& next_word, unsigned precision);

/// The same as a double within kNormalError.
double precise_normal(std::uint64_t word, const NextWord& next_word);

}  // namespace eigenveil::detail
