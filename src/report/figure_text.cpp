#include "report/figure_text.hpp"

#include <algorithm>
#include <sstream>

#include "report/html_text.hpp"
#include "report/utf8.hpp"

namespace eigenveil {
namespace {

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

double advance(std::uint32_t point) {
  constexpr std::string_view kNarrow = " !'(),.:;I[]|`ijl";
  constexpr std::string_view kWide = "%@MWmw";
  if (point >= 0x1100) {  // dashes and superscripts are narrower, ideographs fill the square
    return point < 0x2E80 ? 0.84 : 1.0;
  }
  if (point >= 0x80) {
    return 0.72;
  }
  const char letter = static_cast<char>(point);
  if (kNarrow.find(letter) != std::string_view::npos) {
    return 0.40;
  }
  if (kWide.find(letter) != std::string_view::npos) {
    return 1.0;
  }
  return letter >= 'A' && letter <= 'Z' ? 0.74 : 0.64;
}

}  // namespace

double text_width(std::string_view text, double size) {
  double em = 0.0;
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    em += advance(character.valid ? character.point : 0xFFFD);
    text.remove_prefix(character.bytes);
  }
  return em * size;
}

namespace {

std::vector<std::string_view> letters_of(std::string_view text) {
  std::vector<std::string_view> letters;
  while (!text.empty()) {
    letters.push_back(text.substr(0, first_character(text).bytes));
    text.remove_prefix(letters.back().size());
  }
  return letters;
}

/// How many of the letters fit, from the front.
std::size_t fitting(const std::vector<std::string_view>& letters, double size, double width) {
  std::size_t count = 0;
  for (const std::string_view letter : letters) {
    width -= text_width(letter, size);
    if (width < 0.0) {
      break;
    }
    ++count;
  }
  return count;
}

}  // namespace

std::string shorten(std::string_view text, double size, double width) {
  std::string clean = printable_text(text);
  if (text_width(clean, size) <= width) {
    return clean;
  }
  // Names of one table often differ at their ends: a third of the room is for the end.
  std::vector<std::string_view> letters = letters_of(clean);
  const double room = width - text_width(kEllipsis, size);
  std::string end;
  double used = 0.0;
  for (; !letters.empty(); letters.pop_back()) {
    used += text_width(letters.back(), size);
    if (used > room / 3.0) {
      break;
    }
    end.insert(0, letters.back());
  }
  std::string kept;
  const std::size_t front = fitting(letters, size, room - text_width(end, size));
  for (std::size_t i = 0; i < front; ++i) {
    kept += letters[i];
  }
  return kept + std::string(kEllipsis) + end;
}

namespace {

bool ends_word(char letter) {
  return letter == '_' || letter == '.' || letter == '-' || letter == ' ' || letter == ':';
}

/// How many bytes from the front all names share, cut back to the end of a word.
std::size_t shared_front(const std::vector<std::string>& names) {
  std::size_t shared = names.front().size();
  for (const std::string& name : names) {
    const auto [a, b] =
        std::mismatch(names.front().begin(), names.front().end(), name.begin(), name.end());
    shared = std::min(shared, static_cast<std::size_t>(a - names.front().begin()));
  }
  while (shared > 0 && !ends_word(names.front()[shared - 1])) {
    --shared;
  }
  return shared;
}

}  // namespace

std::vector<std::string> short_names(const std::vector<std::string>& names, double size,
                                     double width) {
  std::vector<std::string> labels(names);
  const bool all_fit = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return text_width(printable_text(name), size) <= width;
  });
  if (!all_fit && names.size() > 1) {
    const std::size_t front = shared_front(names);
    for (std::string& label : labels) {
      label.erase(0, front);
      std::reverse(label.begin(), label.end());
    }
    const std::size_t back = shared_front(labels);
    for (std::string& label : labels) {
      label.erase(0, back);
      std::reverse(label.begin(), label.end());
      label = (front > 0 ? std::string(kEllipsis) : "") + label +
              (back > 0 ? std::string(kEllipsis) : "");
    }
  }
  for (std::string& label : labels) {
    label = shorten(label, size, width);
  }
  return labels;
}

std::vector<std::string> wrap(std::string_view text, double size, double width) {
  std::istringstream words{printable_text(text)};
  std::vector<std::string> lines;
  std::string line;
  for (std::string word; words >> word;) {
    word = shorten(word, size, width);
    std::string longer = line;
    longer += line.empty() ? "" : " ";
    longer += word;
    if (line.empty() || text_width(longer, size) <= width) {
      line = longer;
    } else {
      lines.push_back(line);
      line = word;
    }
  }
  if (!line.empty()) {
    lines.push_back(line);
  }
  return lines;
}

}  // namespace eigenveil
