#include "core/parameter_names.hpp"

#include <algorithm>
#include <iterator>

namespace eigenveil {
namespace {

constexpr std::string_view kNameLetters = "abcdefghijklmnopqrstuvwxyz0123456789_";
constexpr std::string_view kValueLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-";

/// The length of "{name}" or "{name value}" at the start of a text, 0 where there is none, and the
/// length of its name.
struct Placeholder {
  std::size_t length = 0;
  std::size_t name = 0;
};

Placeholder placeholder_at(std::string_view text) {
  const std::size_t name_end = text.find_first_not_of(kNameLetters, 1);
  if (name_end == std::string_view::npos || name_end == 1) {
    return {};
  }
  if (text[name_end] == '}') {
    return {name_end + 1, name_end - 1};
  }
  const std::size_t end = text.find_first_not_of(kValueLetters, name_end + 1);
  const bool sound = text[name_end] == ' ' && end != std::string_view::npos && end > name_end + 1 &&
                     text[end] == '}';
  return sound ? Placeholder{end + 1, name_end - 1} : Placeholder{};
}

}  // namespace

std::string with_parameters(std::string_view message, const SpellParameter& spell) {
  std::string text;
  while (!message.empty()) {
    const std::size_t open = message.find('{');
    text += message.substr(0, open);
    if (open == std::string_view::npos) {
      break;
    }
    message.remove_prefix(open);
    const Placeholder found = placeholder_at(message);
    if (found.length == 0) {
      text += '{';
      message.remove_prefix(1);
      continue;
    }
    const bool has_value = found.length > found.name + 2;
    text += spell(message.substr(1, found.name),
                  has_value ? message.substr(found.name + 2, found.length - found.name - 3)
                            : std::string_view());
    message.remove_prefix(found.length);
  }
  return text;
}

std::string shown(std::string_view text) {
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    safe += text[i];
    if (text[i] == '{' && i + 1 < text.size() && text[i + 1] != ' ') {
      safe += ' ';
    }
  }
  return safe;
}

std::vector<std::string> shown(const std::vector<std::string>& texts) {
  std::vector<std::string> safe;
  std::transform(texts.begin(), texts.end(), std::back_inserter(safe),
                 [](const std::string& text) { return shown(text); });
  return safe;
}

std::string for_command_line(std::string_view message) {
  return with_parameters(message, [](std::string_view name, std::string_view value) {
    std::string flag = name == "components" ? "-k" : "--" + std::string(name);
    std::replace(flag.begin(), flag.end(), '_', '-');
    return value.empty() ? flag : flag + " " + std::string(value);
  });
}

}  // namespace eigenveil
