#include <fmt/format.h>

#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/commands/compare.hpp"
#include "cli/commands/plan_counts.hpp"
#include "cli/options/request_options.hpp"
#include "cli/summary.hpp"

namespace eigenveil::cli {
namespace {

/// `plan pca`, `plan covariance`, ...: the plan of the method that would make the
/// release.
struct PlanCommand {
  RequestOptions what;
  AssumedOptions assumed;
  InputOptions people;  ///< what the columns of a table of people mean
  bool json = false;
  bool compare = false;       ///< every method on one table
  std::string figure_folder;  ///< of the comparison

  void declare(CLI::App& app);
  Outcome run() const;
};

void PlanCommand::declare(CLI::App& app) {
  assumed.declare(app, has_center(what.task));
  app.add_flag("--json", json, "for machines");
  if (what.task == Task::Components) {
    constexpr const char* kGroup = "Size (assumed, no data is read)";
    app.add_flag("--compare", compare,
                 "the predicted error of every method for the assumed --spectrum, with a "
                 "recommendation; without one, for three: a strong component, a power law, flat")
        ->group(kGroup);
    app.add_option("--figure", figure_folder,
                   "with --compare: a folder for comparison.svg and .csv")
        ->group(kGroup);
  }
  what.declare(app);
  what.bounds.declare_stages(app);
  if (what.task == Task::Components || what.task == Task::Covariance ||
      what.task == Task::LowRank) {
    people.declare_one_hot(app);
    people.declare_missing(app);
    people.declare_people(app);
  }
  what.own.declare(app, what.task);
}

Outcome PlanCommand::run() const {
  Result<Request> request = what.request(true);
  if (!request) {
    return error_of(request);
  }
  const Result<AssumedTable> table = assumed.table(*request, what.bounds, people);
  if (!table) {
    return error_of(table);
  }
  if (compare) {
    return print_comparison(*request, *table, figure_folder, json);
  }
  return outlook(*request, *table).map([&](const PlanFacts& facts) { print_facts(facts, json); });
}

Command method_plan(std::string summary, Task task) {
  return {std::string(name_of(task)), std::move(summary), [task](CLI::App& app) {
            auto command = std::make_shared<PlanCommand>();
            command->what.task = task;
            command->declare(app);
            return [command] { return command->run(); };
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
       method_plan("rank-k approximation", Task::LowRank),
       method_plan("pseudo-data: the noise of both methods, of mask for every relation",
                   Task::Mask),
       method_plan("subspace in or near which the rows lie", Task::Subspace), plan_bounds_command(),
       plan_scores_command()});
}

}  // namespace eigenveil::cli
