#include <fmt/format.h>

#include "cli/commands/commands.hpp"
#include "cli/interface/manual.hpp"

namespace eigenveil::cli {

/// Hidden: make install writes the page to share/man.
Command man_command() {
  return {"man", "Prints the manual page in roff: eigenveil man | man -l -",
          [](CLI::App& app) -> std::function<Outcome()> {
            app.group("");
            return [&app]() -> Outcome {
              fmt::print("{}", manual_page(interface_of(app)));
              return {};
            };
          }};
}

}  // namespace eigenveil::cli
