#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace eigenveil::cli {

/// An option as the manual and the completions show it.
struct InterfaceOption {
  std::vector<std::string> names;  ///< "-k", "--rank"; the plain name of a positional
  std::string description;
  std::string group;
  std::vector<std::string> choices;  ///< the words it takes, when they are a fixed list
  bool positional = false;
  bool takes_value = false;
  bool required = false;
};

/// A command with everything a user can type after it, read from the parser itself, so that the
/// manual and the completions cannot fall behind the program.
struct InterfaceCommand {
  std::vector<std::string> path;  ///< {"generate", "survey"}; empty for the program
  std::string description;
  std::vector<InterfaceOption> options;
  std::vector<InterfaceCommand> commands;
};

/// Walks the whole program from any of its commands. Hidden commands are left out.
InterfaceCommand interface_of(const CLI::App& app);

/// The command and everything below it, outermost first.
std::vector<const InterfaceCommand*> flattened(const InterfaceCommand& command);

/// The first line of a text of several.
std::string first_line(const std::string& text);

}  // namespace eigenveil::cli
