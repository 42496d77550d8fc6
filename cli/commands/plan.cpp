#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/commands/plan_counts.hpp"
#include "cli/options/request_options.hpp"
#include "cli/summary.hpp"
#include "core/parameter_names.hpp"
#include "engine/choice.hpp"
#include "engine/comparison_words.hpp"

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

 private:
  Outcome print_comparison(const Request& request, const AssumedTable& table) const;
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
    people.declare_exclude(app);
    people.declare_one_hot(app);
    people.declare_missing(app);
    people.declare_people(app);
  }
  what.own.declare(app, what.task);
}

Outcome PlanCommand::print_comparison(const Request& request, const AssumedTable& table) const {
  if (table.spectrum.size() == 0 && !figure_folder.empty()) {
    return error_of(assumed_setting(request, table));  // a figure is of one spectrum
  }
  const Result<std::vector<NamedComparison>> all = compare_on(request, table);
  if (!all) {
    return error_of(all);
  }
  if (!figure_folder.empty()) {
    std::error_code error;
    std::filesystem::create_directories(figure_folder, error);
    if (error) {
      return input_output_error(
          fmt::format("cannot create {}: {}", figure_folder, error.message()));
    }
    if (const Outcome drawn =
            write_figure(comparison_figure(all->front().methods), figure_folder, "comparison");
        !drawn) {
      return drawn;
    }
  }
  fmt::print("{}", json ? comparison_json(*all, for_command_line).dump(2) + "\n"
                        : for_command_line(in_words(request, table, *all)));
  return {};
}

Outcome PlanCommand::run() const {
  ReleaseJob job;
  Result<Request> request = what.request(true);
  if (!request) {
    return error_of(request);
  }
  job.request = *std::move(request);
  const Result<AssumedTable> table = people.fill(job.table)
                                         .and_then([&] { return what.bounds.fill(job.table); })
                                         .and_then([&] { return assumed.fill(job); })
                                         .and_then([&] { return settle_job(job); })
                                         .and_then([&] { return assumed_table(job); });
  if (!table) {
    return error_of(table);
  }
  if (compare) {
    return print_comparison(job.request, *table);
  }
  return outlook_with_choice(job.request, *table).map([&](const PlanFacts& facts) {
    print_facts(facts, json);
  });
}

Command method_plan(std::string summary, Task task) {
  PlanCommand command;
  command.what.task = task;
  return command_of(std::string(name_of(task)), std::move(summary), command);
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
