#include "report/explain.hpp"

#include <fmt/format.h>

#include <memory>

#include "cli/commands/commands.hpp"

namespace eigenveil::cli {

Command explain_command() {
  return {
      "explain",
      "The guarantee of a release in words, and what several cost together; checks that nothing "
      "was changed.\n"
      "  eigenveil explain out/release.json\n"
      "  eigenveil explain monday/ tuesday/",
      [](CLI::App& app) {
        auto paths = std::make_shared<std::vector<std::string>>();
        app.add_option("RELEASE", *paths,
                       "release.json of a release, or its directory; several of one table are "
                       "added up")
            ->required();
        return [paths]() -> Outcome {
          return explain_releases({paths->begin(), paths->end()}).map([](const std::string& text) {
            fmt::print("{}", text);
          });
        };
      }};
}

}  // namespace eigenveil::cli
