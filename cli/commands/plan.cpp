#include <fmt/format.h>

#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/methods/compare.hpp"
#include "cli/methods/method.hpp"

namespace eigenveil::cli {
namespace {

/// `plan pca`, `plan covariance`, `plan lowrank`: the plan of the method that would make the
/// release.
Command method_plan(std::string summary, Task task) {
  return {name_of(task), std::move(summary), [task](CLI::App& app) {
            auto request = std::make_shared<PlanRequest>();
            auto choice = std::make_shared<MethodChoice>(task);
            request->what.task = task;
            request->declare(app);
            choice->declare(app, request->what);
            return [request, choice]() -> Outcome {
              if (request->compare) {
                return compare_methods(*request, *choice);
              }
              return choice->choose(request->what).and_then([&](const Method* method) {
                const std::string warning = settle_center(*method, request->what);
                return method->plan(*request).map([&] {
                  if (!warning.empty() && !request->json) {
                    fmt::print("  warning     {}\n", warning);
                  }
                });
              });
            };
          }};
}

}  // namespace

Command plan_command() {
  return command_group(
      "plan",
      "Noise, predicted error and guarantee of a release before any data is read.\n"
      "  eigenveil plan pca --rows 100000 --dimension 50 -k 3 --range 0:10 --epsilon 1 --delta "
      "1e-6",
      {method_plan("principal components", Task::Components),
       method_plan("covariance or second moment", Task::Covariance),
       method_plan("rank-k approximation", Task::LowRank), mask_plan(), subspace_plan_command()});
}

}  // namespace eigenveil::cli
