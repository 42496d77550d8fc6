#include "data/text_cell.hpp"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <system_error>

namespace eigenveil::detail {
namespace {

constexpr std::array<std::string_view, 6> kMissingTokens = {"", "na", "n/a", "nan", "null", "?"};
constexpr std::size_t kLongestMissingToken = 4;

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool is_digit(char letter) {
  return static_cast<unsigned char>(letter - '0') < 10;
}

constexpr std::array<double, 23> kPowersOfTen = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::uint64_t kLargestExactInteger = std::uint64_t{1} << 53;

/// Digits of a decimal number: value = mantissa * 10^exponent.
struct Decimal {
  std::uint64_t mantissa = 0;
  std::int64_t exponent = 0;
};

bool are_eight_digits(std::uint64_t word) {
  return (((word & 0xF0F0F0F0F0F0F0F0U) |
           (((word + 0x0606060606060606U) & 0xF0F0F0F0F0F0F0F0U) >> 4U)) == 0x3333333333333333U);
}

/// Value of eight digits in a little-endian word: neighbours are joined to pairs, fours, eight.
std::uint64_t eight_digits(std::uint64_t word) {
  word -= 0x3030303030303030U;
  word = (word * 10) + (word >> 8U);
  constexpr std::uint64_t kMask = 0x000000FF000000FFU;
  return (((word & kMask) * 0x000F424000000064U) +
          (((word >> 16U) & kMask) * 0x0000271000000001U)) >>
         32U;
}

const char* read_digits(const char* at, std::uint64_t& mantissa) {
  if constexpr (std::endian::native == std::endian::little) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof(word));
    while (are_eight_digits(word)) {
      mantissa = mantissa * 100000000 + eight_digits(word);
      at += sizeof(word);
      std::memcpy(&word, at, sizeof(word));
    }
  }
  while (is_digit(*at)) {
    mantissa = mantissa * 10 + static_cast<std::uint64_t>(*at - '0');
    ++at;
  }
  return at;
}

/// After 'e'; nullptr if there is no digit or the exponent is absurd.
const char* read_exponent(const char* at, std::int64_t& exponent) {
  const bool negative = *at == '-';
  if (*at == '-' || *at == '+') {
    ++at;
  }
  const char* first = at;
  std::int64_t value = 0;
  while (is_digit(*at) && at - first < 5) {
    value = value * 10 + (*at - '0');
    ++at;
  }
  if (at == first || is_digit(*at)) {
    return nullptr;
  }
  exponent += negative ? -value : value;
  return at;
}

/// Mantissas of at most 19 digits cannot overflow; longer ones are left to the general reader.
const char* read_decimal(const char* at, Decimal& decimal) {
  const char* first = at;
  at = read_digits(at, decimal.mantissa);
  std::ptrdiff_t digits = at - first;
  if (*at == '.') {
    const char* fraction = ++at;
    at = read_digits(at, decimal.mantissa);
    digits += at - fraction;
    decimal.exponent = fraction - at;
  }
  if (digits == 0 || digits > 19) {
    return nullptr;
  }
  return (*at == 'e' || *at == 'E') ? read_exponent(at + 1, decimal.exponent) : at;
}

/// One correctly rounded operation on two exact doubles is the correctly rounded value.
bool exact_value(const Decimal& decimal, double& value) {
  if (decimal.mantissa > kLargestExactInteger || decimal.exponent < -22 || decimal.exponent > 22) {
    return false;
  }
  const auto mantissa = static_cast<double>(decimal.mantissa);
  value = decimal.exponent < 0
              ? mantissa / kPowersOfTen[static_cast<std::size_t>(-decimal.exponent)]
              : mantissa * kPowersOfTen[static_cast<std::size_t>(decimal.exponent)];
  return true;
}

}  // namespace

bool is_missing_token(std::string_view text) {
  if (text.size() > kLongestMissingToken) {
    return false;
  }
  return std::ranges::any_of(kMissingTokens, [text](std::string_view token) {
    return std::ranges::equal(text, token, {}, lower);
  });
}

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char letter) { return letter == ' ' || letter == '\t'; };
  while (!text.empty() && is_space(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_space(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

bool field_text(std::string_view field, std::string& memory, std::string_view& text) {
  text = trimmed(field);
  if (text.find('"') == std::string_view::npos) {
    return true;
  }
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') {
    return false;
  }
  text = text.substr(1, text.size() - 2);
  memory.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && (++i == text.size() || text[i] != '"')) {
      return false;
    }
    memory.push_back(text[i]);
  }
  text = trimmed(memory);
  return true;
}

Cell classify_cell(std::string_view field) {
  std::string memory;
  std::string_view text;
  if (!field_text(field, memory, text)) {
    return {};
  }
  if (is_missing_token(text)) {
    return {CellKind::Missing, 0.0};
  }
  if (text.size() > 1 && text[0] == '+' && (is_digit(text[1]) || text[1] == '.')) {
    text.remove_prefix(1);
  }
  double value = 0.0;
  const char* end = text.data() + text.size();
  const fast_float::from_chars_result parsed = fast_float::from_chars(text.data(), end, value);
  // Infinities are spelled out or come from an overflow; an underflow is a small number.
  if (parsed.ec == std::errc::invalid_argument || parsed.ptr != end || !std::isfinite(value)) {
    return {};
  }
  return {CellKind::Number, value};
}

namespace {

/// A mark between groups of digits at the front, beside the decimal mark; its length, 0 for none.
std::size_t group_mark(std::string_view text, char decimal) {
  constexpr std::array<std::string_view, 4> kSpaces = {" ", "'", "\xC2\xA0", "\xE2\x80\xAF"};
  if (!text.empty() && text.front() == (decimal == ',' ? '.' : ',')) {
    return 1;
  }
  const auto found = std::ranges::find_if(
      kSpaces, [text](std::string_view space) { return text.starts_with(space); });
  return found == kSpaces.end() ? 0 : found->size();
}

/// With a point for the declared mark and without marks between groups of three digits; false where
/// the groups are others.
bool without_groups(std::string_view text, char decimal, std::string& plain) {
  plain.clear();
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    plain.push_back(text.front());
    text.remove_prefix(1);
  }
  std::string_view mark;
  std::size_t group = 0;  // digits since the last mark
  while (!text.empty() && text.front() != decimal && text.front() != 'e' && text.front() != 'E') {
    if (is_digit(text.front())) {
      plain.push_back(text.front());
      text.remove_prefix(1);
      ++group;
      continue;
    }
    const std::size_t length = group_mark(text, decimal);
    const std::string_view found = text.substr(0, length);
    const bool fits = mark.empty() ? group >= 1 && group <= 3 : group == 3 && found == mark;
    if (length == 0 || !fits) {
      return false;
    }
    mark = found;
    group = 0;
    text.remove_prefix(length);
  }
  if (!mark.empty() && group != 3) {
    return false;
  }
  if (!text.empty() && text.front() == decimal) {
    plain.push_back('.');
    text.remove_prefix(1);
  }
  plain += text;
  return plain.find(decimal == ',' ? ',' : '\0') == std::string::npos;
}

}  // namespace

Cell classify_cell(std::string_view field, char decimal) {
  if (decimal == 0) {
    return classify_cell(field);
  }
  std::string memory;
  std::string_view text;
  if (!field_text(field, memory, text)) {
    return {};
  }
  if (is_missing_token(text)) {
    return {CellKind::Missing, 0.0};
  }
  std::string plain;
  return without_groups(text, decimal, plain) ? classify_cell(plain) : Cell{};
}

const char* read_plain_number(const char* at, char delimiter, double& value) {
  const char* first = at;
  const bool negative = *at == '-';
  at += static_cast<int>(negative);
  Decimal decimal;
  at = read_decimal(at, decimal);
  if (at == nullptr) {
    return nullptr;
  }
  const char* end = at;
  if (*at == '\r') {
    ++at;
  }
  if (*at != '\n' && (*at != delimiter || at != end)) {
    return nullptr;
  }
  if (exact_value(decimal, value)) {
    value = negative ? -value : value;
    return at;
  }
  const fast_float::from_chars_result parsed = fast_float::from_chars(first, end, value);
  return parsed.ptr == end && std::isfinite(value) ? at : nullptr;
}

}  // namespace eigenveil::detail
