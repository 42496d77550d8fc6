#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace eigenveil::fuzz {

/// More than 4096 columns: naming a million of them takes a third of a second and teaches nothing.
inline bool is_wide(std::string_view idx) {
  const auto byte = [idx](std::size_t i) {
    return std::uint64_t{static_cast<std::uint8_t>(idx[i])};
  };
  std::uint64_t columns = 1;
  for (std::size_t at = 8; at + 4 <= idx.size() && at < 4 + 4 * byte(3); at += 4) {
    const std::uint64_t extent =
        byte(at) << 24U | byte(at + 1) << 16U | byte(at + 2) << 8U | byte(at + 3);
    columns *= std::min<std::uint64_t>(extent, 4097);
    if (columns > 4096) {
      return true;
    }
  }
  return false;
}

}  // namespace eigenveil::fuzz
