#include "cli/interface/completion.hpp"

#include <fmt/format.h>

#include <memory>

#include "cli/commands/commands.hpp"

namespace eigenveil::cli {

/// Hidden: make install writes the scripts where the shells look for them.
Command completion_command() {
  return {"completion", "Prints a completion script: eigenveil completion bash|zsh|fish",
          [](CLI::App& app) -> std::function<Outcome()> {
            app.group("");
            auto shell = std::make_shared<std::string>();
            app.add_option("shell", *shell, "bash, zsh or fish")
                ->required()
                ->check(CLI::IsMember({"bash", "zsh", "fish"}));
            return [&app, shell]() -> Outcome {
              const InterfaceCommand program = interface_of(app);
              fmt::print("{}", *shell == "bash"  ? bash_completion(program)
                               : *shell == "zsh" ? zsh_completion(program)
                                                 : fish_completion(program));
              return {};
            };
          }};
}

}  // namespace eigenveil::cli
