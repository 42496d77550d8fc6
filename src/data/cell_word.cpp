#include "data/cell_word.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "data/text_cell.hpp"

namespace eigenveil {
namespace {

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

/// Digits of a whole number that is written out, perhaps with zeros after a point; otherwise empty.
std::string_view whole_digits(std::string_view unsigned_text) {
  const std::size_t point = std::min(unsigned_text.find('.'), unsigned_text.size());
  const std::string_view digits = unsigned_text.substr(0, point);
  const std::string_view after = unsigned_text.substr(std::min(point + 1, unsigned_text.size()));
  const bool whole = std::ranges::all_of(digits, is_digit) &&
                     std::ranges::all_of(after, [](char letter) { return letter == '0'; });
  return whole ? digits : std::string_view();
}

}  // namespace

std::string cell_word(std::string_view text) {
  text = detail::trimmed(text);
  const bool sign = text.starts_with('-') || text.starts_with('+');
  std::string_view digits = whole_digits(text.substr(sign ? 1 : 0));
  if (!digits.empty()) {
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
    const bool negative = text.front() == '-' && digits != "0";
    return (negative ? "-" : "") + std::string(digits);
  }
  const std::size_t first = sign ? 1 : 0;
  const bool numeric = text.size() > first && (is_digit(text[first]) || text[first] == '.') &&
                       text.find('"') == std::string_view::npos;
  const detail::Cell cell = numeric ? detail::classify_cell(text) : detail::Cell{};
  const bool told = cell.kind == detail::CellKind::Number && std::fabs(cell.value) < kLargestTold;
  return told ? cell_word(cell.value) : std::string(text);
}

std::string cell_word(double number) {
  const bool whole = std::fabs(number) < kLargestTold && std::trunc(number) == number;
  return whole ? fmt::format("{}", static_cast<std::int64_t>(number)) : fmt::format("{}", number);
}

PublicWords::PublicWords(const std::vector<std::string>& words) {
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (words[k] != "*") {  // stands for any other word
      places_.emplace(cell_word(words[k]), static_cast<double>(k + 1));
    }
  }
}

std::optional<double> PublicWords::place_of(const std::string& word) const {
  const auto found = places_.find(word);
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> PublicWords::code(std::string_view text) const {
  if (const std::optional<double> place = place_of(cell_word(text))) {
    return place;
  }
  return detail::is_missing_token(detail::trimmed(text)) ? std::nullopt : std::optional(0.0);
}

double PublicWords::code(double number) const {
  return std::isnan(number) ? number : place_of(cell_word(number)).value_or(0.0);
}

}  // namespace eigenveil
