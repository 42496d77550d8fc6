#include "core/suggestion.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace eigenveil {
namespace {

/// Insertions, deletions, substitutions, and two neighbours that changed places.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before(to.size() + 1);
  std::vector<std::size_t> last(to.size() + 1);
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t substituted = last[j] + (from[i] == to[j] ? 0 : 1);
      row[j + 1] = std::min({substituted, row[j] + 1, last[j + 1] + 1});
      if (i > 0 && j > 0 && from[i] == to[j - 1] && from[i - 1] == to[j]) {
        row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
      }
    }
  }
  return row.back();
}

/// What is compared: --k and -k are one word.
std::string_view without_dashes(std::string_view word) {
  return word.substr(std::min(word.size(), word.find_first_not_of('-')));
}

}  // namespace

std::string did_you_mean(const std::string& typed, const std::vector<std::string>& candidates) {
  const std::string_view word = without_dashes(typed);
  // Short words are all near to each other: one letter must be right, and of three one may be
  // wrong.
  std::size_t best = word.size() < 2 ? 1 : std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string nearest;
  for (const std::string& candidate : candidates) {
    const std::string_view other = without_dashes(candidate);
    const bool begins = word.size() > 1 && other.starts_with(word) && other != word;
    const std::size_t distance = begins ? 1 : edit_distance(word, other);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

}  // namespace eigenveil
