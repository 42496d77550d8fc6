#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/methods/method.hpp"

namespace eigenveil::cli {
namespace {

/// A command that publishes something about a table: its options, then the method that serves it.
Command release_command(std::string name, std::string summary, Task task) {
  return {std::move(name), std::move(summary), [task](CLI::App& app) {
            auto request = std::make_shared<ReleaseRequest>();
            auto choice = std::make_shared<MethodChoice>(task);
            request->what.task = task;
            request->declare(app);
            choice->declare(app, request->what);
            return [request, choice]() -> Outcome {
              return choice->choose(request->what).and_then([&](const Method* method) {
                request->output.warning = settle_center(*method, request->what);
                return method->release(*request);
              });
            };
          }};
}

}  // namespace

Command pca_command() {
  return release_command(
      "pca",
      "Private principal components of a table of rows about people.\n"
      "  eigenveil pca survey.csv -k 2 --epsilon 1 --delta 1e-6 --range 0:10 --out out/",
      Task::Components);
}

Command lowrank_command() {
  return release_command(
      "lowrank",
      "Private rank-k approximation of the covariance (or second moment), or the "
      "nearest matrix with a prescribed spectrum.\n"
      "  eigenveil lowrank survey.csv -k 3 --epsilon 1 --range 0:10 --out out/",
      Task::LowRank);
}

Command covariance_command() {
  return release_command("covariance",
                         "Private covariance (or second moment) of a table of rows about people.\n"
                         "  eigenveil covariance survey.csv --epsilon 1 --delta 1e-6 --range 0:10 "
                         "--out out/",
                         Task::Covariance);
}

}  // namespace eigenveil::cli
