#pragma once

#include <cstdint>
#include <string_view>

namespace eigenveil::test {

/// A fixed seed, not a chosen one: the FNV-1a hash of the test's name. A pass stays a pass; a
/// failure is explained, never reseeded.
constexpr std::uint64_t seed_for(std::string_view test_name) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char letter : test_name) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  }
  return hash;
}

}  // namespace eigenveil::test
