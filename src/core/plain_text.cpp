#include "eigenveil/core/plain_text.hpp"

#include <algorithm>

namespace eigenveil {
namespace {

/// Length of the UTF-8 sequence a byte starts; 0 if it starts none.
std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) {
    return 1;
  }
  if (lead >= 0xC2 && lead < 0xE0) {
    return 2;
  }
  if (lead >= 0xE0 && lead < 0xF0) {
    return 3;
  }
  return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

/// Shortest form, no surrogates, at most U+10FFFF: the second byte has a narrower range.
bool second_byte_fits(unsigned char lead, unsigned char second) {
  switch (lead) {
    case 0xE0:
      return second >= 0xA0;
    case 0xED:
      return second < 0xA0;
    case 0xF0:
      return second >= 0x90;
    case 0xF4:
      return second < 0x90;
    default:
      return true;
  }
}

bool is_utf8(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(byte(i));
    if (length == 0 || length > text.size() - i) {
      return false;
    }
    for (std::size_t k = 1; k < length; ++k) {
      if ((byte(i + k) & 0xC0U) != 0x80U) {
        return false;
      }
    }
    if (length > 1 && !second_byte_fits(byte(i), byte(i + 1))) {
      return false;
    }
    i += length;
  }
  return true;
}

bool has_control_character(std::string_view text) {
  return std::ranges::any_of(text, [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return byte < 0x20 || byte == 0x7F;
  });
}

}  // namespace

bool is_plain_text(std::string_view text) {
  return !has_control_character(text) && is_utf8(text);
}

}  // namespace eigenveil
