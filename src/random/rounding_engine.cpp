#include "random/rounding_engine.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "core/multiversion.hpp"

namespace eigenveil::detail {
namespace {

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

/// Everything known about a block in double precision. By symmetry a draw with negative sign is
/// treated as -round(-offset + s |Z|).
struct Block {
  std::array<double, kDrawBlock> tails;
  std::array<double, kDrawBlock> magnitudes;
  std::array<double, kDrawBlock> centres;  ///< g + s |Z|, up to `errors`
  std::array<double, kDrawBlock> errors;
};

[[gnu::always_inline]] inline double signed_offset(std::uint64_t word, double offset) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(offset) ^ (word & kSignBit));
}

[[gnu::always_inline]] inline std::int64_t with_sign(std::uint64_t word, std::int64_t value) {
  const auto flip = -static_cast<std::int64_t>(word >> 63);  // 0 or -1
  return (value ^ flip) - flip;
}

EIGENVEIL_MULTIVERSION
void fill_tails(const std::uint64_t* words, double* tails, std::size_t count) {
  constexpr std::uint64_t kMantissaMask = (std::uint64_t{1} << 52) - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t mantissa = (words[i] >> 11) & kMantissaMask;
    // 1 + mantissa 2^-52, minus (1 - 2^-53): exact.
    tails[i] =
        std::bit_cast<double>(mantissa | std::bit_cast<std::uint64_t>(1.0)) - (1.0 - 0x1p-53);
  }
}

/// Rounds every draw in double precision and returns whether any is left undecided: its error
/// interval may contain a half-integer.
EIGENVEIL_MULTIVERSION
bool round_fast(double s, const std::uint64_t* words, const double* offsets, std::int64_t* rounded,
                Block& block, std::size_t count) {
  constexpr double kMagic = 0x1.8p52;  // adding it rounds |x| < 2^51 to the nearest integer
  // Twice kMagnitudeError: the other half covers the rounding of this loop itself.
  constexpr double kArithmeticError = 2.0 * kMagnitudeError;
  std::uint64_t undecided = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double magnitude = block.magnitudes[i];
    const double centre = signed_offset(words[i], offsets[i]) + s * magnitude;
    // V is known up to 2^-53, and |dS⁻¹/dv| <= 1.26 / v for both laws.
    const double error = s * (kArithmeticError * (1.0 + magnitude) + 0x1p-52 / block.tails[i]);
    const double shifted = centre + kMagic;
    const double distance = std::abs(centre - (shifted - kMagic));
    block.centres[i] = centre;
    block.errors[i] = error;
    rounded[i] = with_sign(
        words[i], std::bit_cast<std::int64_t>(shifted) - std::bit_cast<std::int64_t>(kMagic));
    undecided |= static_cast<std::uint64_t>(!(distance + error < 0.5)) |
                 static_cast<std::uint64_t>(block.tails[i] < kSmallestFastTail);
  }
  return undecided != 0;
}

/// The bracket is a single integer exactly when double precision decides the rounding.
std::int64_t round_carefully(const NoiseLaw& law, double s, std::uint64_t word, double offset,
                             double tail, Bracket bracket, const NextWord& next_word) {
  if (tail < kSmallestFastTail) {
    return round_exactly(law, s, word, offset, next_word);
  }
  ExactRounding rounding(law, s, signed_offset(word, offset), LazyTail(word, next_word));
  return with_sign(word, rounding.round_within(bracket));
}

}  // namespace

void split_tails(std::span<const std::uint64_t> words, std::span<double> tails) {
  fill_tails(words.data(), tails.data(), words.size());
}

std::int64_t round_exactly(const NoiseLaw& law, double s, std::uint64_t word, double offset,
                           const NextWord& next_word) {
  ExactRounding rounding(law, s, signed_offset(word, offset), LazyTail(word, next_word));
  return with_sign(word, rounding.round());
}

void round_block(const NoiseLaw& law, double s, std::span<const std::uint64_t> words,
                 std::span<const double> offsets, std::span<std::int64_t> rounded,
                 const NextWord& next_word) {
  Block block;
  const std::size_t count = words.size();
  const std::span<double> tails(block.tails.data(), count);
  split_tails(words, tails);
  law.magnitudes(tails, {block.magnitudes.data(), count});
  if (!round_fast(s, words.data(), offsets.data(), rounded.data(), block, count)) {
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Bracket bracket{std::llrint(block.centres[i] - block.errors[i]),
                          std::llrint(block.centres[i] + block.errors[i])};
    if (bracket.lowest != bracket.highest || block.tails[i] < kSmallestFastTail) {
      rounded[i] =
          round_carefully(law, s, words[i], offsets[i], block.tails[i], bracket, next_word);
    }
  }
}

}  // namespace eigenveil::detail
