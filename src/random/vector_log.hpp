#pragma once

#include <bit>
#include <cstdint>

namespace eigenveil::detail {

/// -log(v) for a normal double v > 0, from IEEE operations alone: vectorises, and gives the same
/// double on every instruction set. v = 2ᵉ x with x in [√½, √2), log x = 2 artanh((x-1)/(x+1)).
/// Absolute error at most 2^-50 (1 + |log v|) (docs/proofs/rounded_noise.md, section 4).
[[gnu::always_inline]] inline double negative_log(double v) {
  constexpr std::uint64_t kSqrtHalfBits = 0x3fe6a09e667f3bcdU;
  constexpr std::uint64_t kOneBits = 0x3ff0000000000000U;
  constexpr double kTwoTo52 = 0x1p52;
  const std::uint64_t shifted = std::bit_cast<std::uint64_t>(v) + (kOneBits - kSqrtHalfBits);
  const auto x = std::bit_cast<double>((shifted & 0x000fffffffffffffU) + kSqrtHalfBits);
  // The biased exponent, put into the mantissa of 2^52, is converted without an integer conversion.
  const double exponent =
      std::bit_cast<double>((shifted >> 52) | std::bit_cast<std::uint64_t>(kTwoTo52)) -
      (kTwoTo52 + 1023.0);
  const double a = (x - 1.0) / (x + 1.0);
  const double z = a * a;  // at most (√2 - 1)⁴ < 0.0295
  double series = 1.0 / 23.0;
  series = series * z + 1.0 / 21.0;
  series = series * z + 1.0 / 19.0;
  series = series * z + 1.0 / 17.0;
  series = series * z + 1.0 / 15.0;
  series = series * z + 1.0 / 13.0;
  series = series * z + 1.0 / 11.0;
  series = series * z + 1.0 / 9.0;
  series = series * z + 1.0 / 7.0;
  series = series * z + 1.0 / 5.0;
  series = series * z + 1.0 / 3.0;
  series = series * z + 1.0;
  return -(exponent * 0.693147180559945309417 + 2.0 * a * series);
}

}  // namespace eigenveil::detail
