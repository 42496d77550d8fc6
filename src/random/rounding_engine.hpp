#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "random/exact_comparison.hpp"

namespace eigenveil::detail {

/// Draws handled together: words, tails and magnitudes of a block stay in the first-level cache.
inline constexpr std::size_t kDrawBlock = 512;

/// Midpoint of the 2^-52 interval that the leading bits of a word leave to the tail V.
void split_tails(std::span<const std::uint64_t> words, std::span<double> tails);

/// rounded[i] = the integer next to offsets[i] + s Z, for the draw that words[i] opens. All spans
/// have one length, at most kDrawBlock. Further digits come from next_word.
void round_block(const NoiseLaw& law, double s, std::span<const std::uint64_t> words,
                 std::span<const double> offsets, std::span<std::int64_t> rounded,
                 const NextWord& next_word);

/// The same for one draw by exact comparison alone.
std::int64_t round_exactly(const NoiseLaw& law, double s, std::uint64_t word, double offset,
                           const NextWord& next_word);

}  // namespace eigenveil::detail
