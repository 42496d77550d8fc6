#include "random/normal.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "random/rounding_engine.hpp"

namespace eigenveil {

void fill_standard_normal(RandomStream& stream, std::span<double> values) {
  std::array<std::uint64_t, detail::kDrawBlock> words;
  std::array<double, detail::kDrawBlock> tails;
  while (!values.empty()) {
    const std::size_t count = std::min(detail::kDrawBlock, values.size());
    const std::span<std::uint64_t> block(words.data(), count);
    stream.fill(block);
    detail::split_tails(block, tails);
    detail::kGaussianLaw.magnitudes({tails.data(), count}, values.first(count));
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = std::copysign(values[i], std::bit_cast<double>(words[i]));
    }
    values = values.subspan(count);
  }
}

double uniform(RandomStream& stream) {
  return (static_cast<double>(stream.bits64() >> 12) + 0.5) * 0x1p-52;
}

}  // namespace eigenveil
