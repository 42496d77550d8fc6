#pragma once

#include <cctype>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace eigenveil::test {

/// What is wrong with a text as XML; empty when it is well formed. Elements nest and close,
/// attributes are quoted, a bare '<' or '&' is an error.
inline std::string xml_problem(std::string_view text) {
  static const std::regex kTag(
      R"re(^<(/?)([A-Za-z][A-Za-z0-9]*)((?:\s+[A-Za-z_:][-A-Za-z0-9_:]*="[^"<]*")*)\s*(/?)>)re");
  static const std::regex kEntity("^&(amp|lt|gt|quot|#39);");
  std::vector<std::string> open;
  while (!text.empty()) {
    std::match_results<std::string_view::const_iterator> match;
    if (text.front() == '&') {
      if (!std::regex_search(text.begin(), text.end(), match, kEntity)) {
        return "bare & at: " + std::string(text.substr(0, 40));
      }
      text.remove_prefix(static_cast<std::size_t>(match.length()));
    } else if (text.front() != '<') {
      text.remove_prefix(std::min(text.find_first_of("<&"), text.size()));
    } else {
      const std::string_view tag = text.substr(0, text.find('>') + 1);
      if (!std::regex_search(tag.begin(), tag.end(), match, kTag)) {
        return "bad tag at: " + std::string(text.substr(0, 60));
      }
      const std::string name = match[2].str();
      if (match[1].length() > 0) {
        if (open.empty() || open.back() != name) {
          return "unexpected </" + name + ">";
        }
        open.pop_back();
      } else if (match[4].length() == 0) {
        open.push_back(name);
      }
      text.remove_prefix(tag.size());
    }
  }
  return open.empty() ? "" : "unclosed <" + open.back() + ">";
}

inline std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

}  // namespace eigenveil::test
