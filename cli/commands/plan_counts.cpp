#include "cli/commands/plan_counts.hpp"

#include "cli/options/checks.hpp"
#include "cli/options/counts_options.hpp"
#include "cli/options/request_options.hpp"
#include "cli/options/scores_options.hpp"
#include "cli/summary.hpp"
#include "engine/table/counts_session.hpp"

namespace eigenveil::cli {
namespace {

/// What both have: whom to protect, at what price.
struct PlannedCounts {
  BudgetOptions budget;
  InputOptions people;  ///< what the columns of a table of people mean
  bool json = false;

  void declare(CLI::App& app) {
    budget.declare(app);
    people.declare_person(app);
    app.add_flag("--json", json, "for machines");
  }
  Result<void> run(ReleaseJob job) const {
    return fill_budget(budget, job)
        .and_then([&] { return people.fill(job.table); })
        .and_then([&] { return settle_job(job); })
        .and_then([&] { return counts_outlook(job); })
        .map([&](const PlanFacts& facts) { print_facts(facts, json); });
  }
};

struct PlanBounds {
  AssumedOptions assumed;
  PlannedCounts counts;
  std::string row_norm;
  double outside = 0.001;

  void declare(CLI::App& app) {
    assumed.declare(app, false);
    counts.declare(app);
    app.add_option("--outside", outside,
                   "share of the rows that a range may leave out, about (default 0.001)")
        ->group("Bounds");
    app.add_option("--row-norm", row_norm,
                   "private: one norm for all rows instead of a range for each column")
        ->check(one_of({"private"}))
        ->group("Bounds");
  }

  Outcome run() const {
    ReleaseJob job;
    job.counts = AskedBounds{outside, {}, !row_norm.empty()};
    return assumed.fill(job).and_then([&] { return counts.run(std::move(job)); });
  }
};

struct PlanScores {
  std::int64_t rows = 0;
  ScoresOptions picture;
  PlannedCounts counts;

  void declare(CLI::App& app) {
    app.add_option("--rows", rows, "number of rows")
        ->required()
        ->check(whole_number(1, std::uint64_t{1} << 50))
        ->group("Size (assumed, no data is read)");
    picture.declare(app);
    counts.declare(app);
  }

  Outcome run() const {
    AskedScores asked;
    return picture.fill(asked).and_then([&] {
      ReleaseJob job;
      job.counts = asked;
      job.rows = rows;
      return counts.run(std::move(job));
    });
  }
};

}  // namespace

Command plan_bounds_command() {
  return command_of<PlanBounds>("bounds", "ranges from noisy histograms: what they can resolve");
}

Command plan_scores_command() {
  return command_of<PlanScores>("scores", "people on released components: which cells can show");
}

}  // namespace eigenveil::cli
