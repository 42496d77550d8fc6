#pragma once

#include <cstdint>
#include <functional>

#include "random/noise_law.hpp"

namespace eigenveil::detail {

/// Independent uniform 64-bit words: a stream, or a test's choice.
using NextWord = std::function<std::uint64_t()>;

/// One uniform word is a draw: the top bit is the sign of Z, the 63 others open the binary
/// expansion of the tail V.
inline constexpr unsigned kFirstTailBits = 63;
inline constexpr std::uint64_t kTailMask = (std::uint64_t{1} << kFirstTailBits) - 1;

/// A uniform V on (0, 1) of which `bits` binary digits are known; more are drawn when asked for.
class LazyTail {
 public:
  LazyTail(std::uint64_t word, NextWord next_word)
      : prefix_(word & kTailMask), next_word_(std::move(next_word)) {}

  /// V in [prefix, prefix + 1] * 2^-bits.
  const BigInteger& prefix() const { return prefix_; }
  unsigned bits() const { return bits_; }
  void extend();

 private:
  BigInteger prefix_;
  unsigned bits_ = kFirstTailBits;
  NextWord next_word_;
};

/// The integers that |Z|'s draw may still round to.
struct Bracket {
  std::int64_t lowest;
  std::int64_t highest;
};

/// Rounding of g + s |Z| for one draw, g in (-1, 1) and s in [1, 2^40] exact doubles. Nothing is
/// approximated: bits and precision grow until the comparison is decided.
class ExactRounding {
 public:
  ExactRounding(const NoiseLaw& law, double s, double signed_offset, LazyTail tail);

  /// Is g + s |Z| > k + 1/2?
  bool exceeds_half_above(std::int64_t k);

  /// The integer next to g + s |Z|, known to lie in the bracket.
  std::int64_t round_within(Bracket bracket);
  /// The same without prior knowledge; results above 2^62 are reported as 2^62.
  std::int64_t round();

 private:
  const NoiseLaw& law_;
  double s_;
  double signed_offset_;
  LazyTail tail_;
};

}  // namespace eigenveil::detail
