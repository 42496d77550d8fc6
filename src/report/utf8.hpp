#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace eigenveil {

struct Utf8Character {
  std::uint32_t point = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

/// The first character of a text that is not empty. An invalid sequence counts as one byte;
/// overlong forms and surrogates are invalid.
inline Utf8Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) {
    return {lead, 1, true};
  }
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) {
    return {};
  }
  std::uint32_t point = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) {
      return {};
    }
    point = (point << 6U) | (byte(i) & 0x3FU);
  }
  const std::uint32_t smallest = bytes == 4 ? 0x10000 : bytes == 3 ? 0x800 : 0x80;
  const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
  if (point < smallest || point > 0x10FFFF || surrogate) {
    return {};
  }
  return {point, bytes, true};
}

}  // namespace eigenveil
