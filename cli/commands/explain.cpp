#include "report/explain.hpp"

#include <fmt/format.h>

#include <memory>

#include "cli/commands/commands.hpp"

namespace eigenveil::cli {

Command explain_command() {
  return {
      "explain",
      "The guarantee of a release in words; checks that nothing was changed.\n"
      "  eigenveil explain out/release.json",
      [](CLI::App& app) {
        auto path = std::make_shared<std::string>();
        app.add_option("RELEASE", *path, "release.json of a release, or its directory")->required();
        return [path]() -> Outcome {
          return explain_release(*path).map(
              [](const std::string& text) { fmt::print("{}", text); });
        };
      }};
}

}  // namespace eigenveil::cli
