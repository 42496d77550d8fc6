#include "cli/interface/interface_tree.hpp"

namespace eigenveil::cli {
namespace {

/// The parser describes a fixed list of words as "{a,b,c}" in the type of the option.
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) {
    return {};
  }
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

InterfaceOption interface_of(const CLI::Option& option) {
  InterfaceOption shown;
  for (const std::string& name : option.get_snames()) {
    shown.names.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    shown.names.push_back("--" + name);
  }
  shown.positional = shown.names.empty();
  if (shown.positional) {
    shown.names.push_back(option.get_name(true));
  }
  shown.description = option.get_description();
  shown.group = option.get_group();
  shown.choices = choices_of(option);
  shown.takes_value = option.get_items_expected_max() > 0;
  shown.required = option.get_required();
  return shown;
}

InterfaceCommand walk(const CLI::App& app, const std::vector<std::string>& path) {
  InterfaceCommand command{path, app.get_description(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) {
      command.options.push_back(interface_of(*option));
    }
  }
  for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!child->get_group().empty()) {
      std::vector<std::string> longer = path;
      longer.push_back(child->get_name());
      command.commands.push_back(walk(*child, longer));
    }
  }
  return command;
}

void flatten(const InterfaceCommand& command, std::vector<const InterfaceCommand*>& all) {
  all.push_back(&command);
  for (const InterfaceCommand& child : command.commands) {
    flatten(child, all);
  }
}

}  // namespace

InterfaceCommand interface_of(const CLI::App& app) {
  const CLI::App* root = &app;
  while (root->get_parent() != nullptr) {
    root = root->get_parent();
  }
  return walk(*root, {});
}

std::vector<const InterfaceCommand*> flattened(const InterfaceCommand& command) {
  std::vector<const InterfaceCommand*> all;
  flatten(command, all);
  return all;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace eigenveil::cli
