#include "cli/interface/short_help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace eigenveil::cli {
namespace {

constexpr std::size_t kFewOptions = 20;
constexpr std::array kNeededFirst = {"INPUT",  "components", "epsilon", "delta",  "range",
                                     "bounds", "row-norm",   "columns", "method", "center",
                                     "rows",   "dimension",  "out",     "help",   "help-all"};

bool is_needed_first(const CLI::Option& option) {
  const std::vector<std::string>& names = option.get_lnames();
  const auto wanted = [](const std::string& name) {
    return std::find(kNeededFirst.begin(), kNeededFirst.end(), name) != kNeededFirst.end();
  };
  return option.get_positional() || std::any_of(names.begin(), names.end(), wanted);
}

/// The parser's page without its second space and its second empty lines.
std::string page_of(const CLI::App& command, std::string before) {
  while (before.ends_with(' ')) {
    before.pop_back();
  }
  std::string page = command.help(before);
  for (std::size_t at = page.find("\n\n\n"); at != std::string::npos;
       at = page.find("\n\n\n", at)) {
    page.erase(at, 1);
  }
  while (page.ends_with("\n\n")) {
    page.pop_back();
  }
  return page;
}

}  // namespace

std::string short_help(CLI::App& command, const std::string& typed) {
  const std::vector<CLI::Option*> options = command.get_options();
  const std::string before = typed.substr(0, typed.size() - command.get_name().size());
  if (options.size() <= kFewOptions) {
    return page_of(command, before);
  }
  std::size_t hidden = 0;
  for (CLI::Option* option : options) {
    if (!is_needed_first(*option)) {
      option->group("");  // not shown
      ++hidden;
    }
  }
  return page_of(command, before) +
         fmt::format("\n{} more options (input, output, methods): {} --help-all\n", hidden, typed);
}

}  // namespace eigenveil::cli
