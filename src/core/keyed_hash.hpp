#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace eigenveil {

using HashKey = std::array<unsigned char, 32>;

/// 128 bits of keyed BLAKE2b: nobody who does not know the key can find two texts that collide,
/// and among 10^7 texts two do with probability below 2^-82.
std::array<std::uint64_t, 2> keyed_hash(const HashKey& key, std::string_view text);

}  // namespace eigenveil
