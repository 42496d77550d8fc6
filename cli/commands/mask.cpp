#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/commands/mask_release.hpp"

namespace eigenveil::cli {

Command mask_command() {
  return {
      "mask",
      "Private pseudo-data: as many rows and the same columns, fit for linear models.\n"
      "  eigenveil mask survey.csv --epsilon 1 --delta 1e-6 --range 0:10 --intercept --out out/",
      [](CLI::App& app) {
        auto request = std::make_shared<MaskCommandRequest>();
        request->declare(app);
        return [request] { return request->run(); };
      }};
}

}  // namespace eigenveil::cli
