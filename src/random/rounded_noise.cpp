#include "eigenveil/random/rounded_noise.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "random/rounding_engine.hpp"

namespace eigenveil {
namespace {

static_assert(kNoiseBlock == detail::kDrawBlock, "the header promises it");

void round_with(const detail::NoiseLaw& law, RandomStream& stream, double s,
                std::span<const double> offsets, std::span<std::int64_t> rounded) {
  assert(s >= 1.0 && s <= 0x1p40 && "the noise scale must lie in [1, 2^40] grid steps");
  assert(offsets.size() == rounded.size() && "one result per offset");
  assert(std::ranges::all_of(offsets, [](double f) { return f >= 0.0 && f < 1.0; }) &&
         "an offset is a fraction of the grid step");
  const detail::NextWord next_word = [&stream] { return stream.bits64(); };
  std::array<std::uint64_t, detail::kDrawBlock> words;
  for (std::size_t begin = 0; begin < offsets.size(); begin += detail::kDrawBlock) {
    const std::size_t count = std::min(detail::kDrawBlock, offsets.size() - begin);
    const std::span<std::uint64_t> block(words.data(), count);
    stream.fill(block);
    detail::round_block(law, s, block, offsets.subspan(begin, count), rounded.subspan(begin, count),
                        next_word);
  }
}

}  // namespace

void round_with_gaussian(RandomStream& stream, double s, std::span<const double> offsets,
                         std::span<std::int64_t> rounded) {
  round_with(detail::kGaussianLaw, stream, s, offsets, rounded);
}

void round_with_laplace(RandomStream& stream, double s, std::span<const double> offsets,
                        std::span<std::int64_t> rounded) {
  round_with(detail::kLaplaceLaw, stream, s, offsets, rounded);
}

}  // namespace eigenveil
