#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace eigenveil {

/// From here on a double does not tell whole numbers apart.
inline constexpr double kLargestTold = 9007199254740992.0;  // 2^53

/// The one word of a cell: what names a person, or is compared with public levels. It depends on
/// the value of that cell alone, not on how its column is stored: whole numbers below 2^53 are
/// their digits whether they come as 7, 7.0, "007" or "7e0", since a table library turns a column
/// of whole numbers into another type as soon as somebody else's cell is missing or is a word.
/// Other numbers are the shortest text of their double, longer digits stay as they are without
/// leading zeros, and any other text is itself without spaces around it.
std::string cell_word(std::string_view text);
std::string cell_word(double number);

/// A public list of words, to code cells by.
class PublicWords {
 public:
  PublicWords() = default;
  explicit PublicWords(const std::vector<std::string>& words);
  bool empty() const { return places_.empty(); }
  /// The place of a cell in the list from 1, 0 for any other word. Nothing where it is missing: a
  /// missing token that is not in the list.
  std::optional<double> code(std::string_view text) const;
  double code(double number) const;

 private:
  std::optional<double> place_of(const std::string& word) const;
  std::unordered_map<std::string, double> places_;
};

}  // namespace eigenveil
