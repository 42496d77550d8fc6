#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "eigenveil/core/result.hpp"

namespace eigenveil::cli {

/// What a command ends with: nothing, or one error that main prints and turns into an exit code.
using Outcome = Result<void>;

/// A subcommand. `declare` adds its options to the parser and returns what to run once they are
/// filled in.
struct Command {
  std::string name;
  std::string summary;
  std::function<std::function<Outcome()>(CLI::App&)> declare;
};

/// A command whose options stand in a struct: `declare` adds them to the parser, `run` does the
/// work.
template <class Options>
Command command_of(std::string name, std::string summary, const Options& defaults = {}) {
  return {std::move(name), std::move(summary), [defaults](CLI::App& app) {
            auto options = std::make_shared<Options>(defaults);
            options->declare(app);
            return [options] { return options->run(); };
          }};
}

/// A command whose first word says which of `children` is meant: `plan pca`, `audit gauss`.
Command command_group(std::string name, std::string summary, std::vector<Command> children);

/// Every command of the program, in the order of the help text (cli/commands.cpp).
std::vector<Command> all_commands();

}  // namespace eigenveil::cli
