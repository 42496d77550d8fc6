#include "random/normal.hpp"

#include <algorithm>
#include <array>

#include "random/lazy_normal.hpp"
#include "random/rounding_engine.hpp"

namespace eigenveil {

void fill_standard_normal(RandomStream& stream, std::span<double> values) {
  std::array<std::uint64_t, detail::kDrawBlock> words;
  while (!values.empty()) {
    const std::size_t count = std::min(detail::kDrawBlock, values.size());
    const std::span<std::uint64_t> block(words.data(), count);
    stream.fill(block);
    detail::approximate_normals(block, values.first(count));
    values = values.subspan(count);
  }
}

double uniform(RandomStream& stream) {
  // The largest 2^10 words would round to 1.
  return std::min((static_cast<double>(stream.bits64()) + 0.5) * 0x1p-64, 1.0 - 0x1p-53);
}

}  // namespace eigenveil
