#include "random/normal.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/multiversion.hpp"
#include "random/rounding_engine.hpp"

namespace eigenveil {
namespace {

constexpr double kBelowOne = 1.0 - 0x1p-53;

/// The 63 bits beside the sign, in (0, 1): a small tail is known to 53 bits of its own, so that a
/// large normal is as accurate as a small one. Upper 52 and lower 11 bits, each exact, then added.
EIGENVEIL_MULTIVERSION
void fill_relative_tails(const std::uint64_t* words, double* tails, std::size_t count) {
  constexpr std::uint64_t kUpperMask = (std::uint64_t{1} << 52) - 1;
  constexpr std::uint64_t kLowerMask = (std::uint64_t{1} << 11) - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t upper = (words[i] >> 11) & kUpperMask;
    const std::uint64_t lower = words[i] & kLowerMask;
    const double leading = std::bit_cast<double>(upper | std::bit_cast<std::uint64_t>(1.0)) - 1.0;
    const double rest =
        std::bit_cast<double>(lower | std::bit_cast<std::uint64_t>(0x1p52)) - (0x1p52 - 0.5);
    tails[i] = std::min(leading + rest * 0x1p-63, kBelowOne);
  }
}

}  // namespace

void fill_standard_normal(RandomStream& stream, std::span<double> values) {
  std::array<std::uint64_t, detail::kDrawBlock> words;
  std::array<double, detail::kDrawBlock> tails;
  while (!values.empty()) {
    const std::size_t count = std::min(detail::kDrawBlock, values.size());
    const std::span<std::uint64_t> block(words.data(), count);
    stream.fill(block);
    fill_relative_tails(words.data(), tails.data(), count);
    detail::kGaussianLaw.magnitudes({tails.data(), count}, values.first(count));
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = std::copysign(values[i], std::bit_cast<double>(words[i]));
    }
    values = values.subspan(count);
  }
}

double uniform(RandomStream& stream) {
  // The largest 2^10 words would round to 1.
  return std::min((static_cast<double>(stream.bits64()) + 0.5) * 0x1p-64, kBelowOne);
}

}  // namespace eigenveil
