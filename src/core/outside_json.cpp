#include "core/outside_json.hpp"

namespace eigenveil {

bool nests_too_deep(std::string_view text) {
  constexpr int kDeepest = 64;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (quoted) {
      i += letter == '\\' ? 1U : 0U;
      quoted = letter != '"';
    } else if (letter == '"') {
      quoted = true;
    } else if (letter == '[' || letter == '{') {
      ++depth;
    } else if (letter == ']' || letter == '}') {
      --depth;
    }
    if (depth > kDeepest) {
      return true;
    }
  }
  return false;
}

}  // namespace eigenveil
