#include "report/html_text.hpp"

#include <cstdint>

#include "report/utf8.hpp"

namespace eigenveil {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool reorders_text(std::uint32_t point) {
  return point == 0x061C || point == 0x200E || point == 0x200F ||
         (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
}

bool is_control(std::uint32_t point) {
  return (point < 0x20 && point != '\t' && point != '\n') || (point >= 0x7F && point < 0xA0);
}

/// XML 1.0 has no character for these.
bool is_noncharacter(std::uint32_t point) {
  return (point & 0xFFFEU) == 0xFFFEU;
}

std::string_view escaped(char letter) {
  switch (letter) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::string printable_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    const bool shown = character.valid && !is_control(character.point) &&
                       !reorders_text(character.point) && !is_noncharacter(character.point);
    out += shown ? text.substr(0, character.bytes) : kReplacement;
    text.remove_prefix(character.bytes);
  }
  return out;
}

std::string escape_markup(std::string_view text) {
  std::string out;
  for (const char letter : printable_text(text)) {
    const std::string_view entity = escaped(letter);
    if (entity.empty()) {
      out += letter;
    } else {
      out += entity;
    }
  }
  return out;
}

}  // namespace eigenveil
