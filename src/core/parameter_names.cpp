#include "core/parameter_names.hpp"

#include <algorithm>

namespace eigenveil {

std::string with_parameters(std::string_view message,
                            const std::function<std::string(std::string_view)>& spell) {
  std::string text;
  while (!message.empty()) {
    const std::size_t open = message.find('{');
    text += message.substr(0, open);
    if (open == std::string_view::npos) {
      break;
    }
    message.remove_prefix(open);
    const std::size_t end = message.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_", 1);
    const bool is_name = end != std::string_view::npos && end > 1 && message[end] == '}';
    text += is_name ? spell(message.substr(1, end - 1)) : "{";
    message.remove_prefix(is_name ? end + 1 : 1);
  }
  return text;
}

std::string for_command_line(std::string_view message) {
  return with_parameters(message, [](std::string_view name) {
    if (name == "components") {
      return std::string("-k");
    }
    std::string flag = "--" + std::string(name);
    std::replace(flag.begin(), flag.end(), '_', '-');
    return flag;
  });
}

}  // namespace eigenveil
