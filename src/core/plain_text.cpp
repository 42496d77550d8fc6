#include "core/plain_text.hpp"

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

}  // namespace

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

namespace {

bool has_control_character(std::string_view text) {
  return std::ranges::any_of(text, [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return byte < 0x20 || byte == 0x7F;
  });
}

/// U+0080 to U+009F (terminals read U+009B as an escape), line separators and the marks that turn
/// the direction of writing: what is shown would not be what is stored.
bool has_hidden_control(std::string_view text) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const auto first = static_cast<unsigned char>(text[i]);
    const auto second = static_cast<unsigned char>(text[i + 1]);
    const unsigned third = i + 2 < text.size() ? static_cast<unsigned char>(text[i + 2]) : 0U;
    const bool c1 = first == 0xC2 && second < 0xA0;
    const bool separator_or_embedding =
        first == 0xE2 && second == 0x80 && third >= 0xA8 && third <= 0xAE;
    const bool isolate = first == 0xE2 && second == 0x81 && third >= 0xA6 && third <= 0xA9;
    if (c1 || separator_or_embedding || isolate) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool is_plain_text(std::string_view text) {
  return !has_control_character(text) && is_utf8(text) && !has_hidden_control(text);
}

}  // namespace eigenveil
