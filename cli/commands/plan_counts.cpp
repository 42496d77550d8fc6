#include "cli/commands/plan_counts.hpp"

#include "cli/options/budget_options.hpp"
#include "cli/options/checks.hpp"
#include "cli/options/request_options.hpp"
#include "cli/options/scores_options.hpp"
#include "cli/summary.hpp"
#include "engine/private_bounds.hpp"
#include "engine/scores.hpp"

namespace eigenveil::cli {
namespace {

/// What both have: whom to protect, at what price.
struct CountsOptions {
  BudgetOptions budget;
  InputOptions people;  ///< what the columns of a table of people mean
  bool json = false;

  void declare(CLI::App& app) {
    budget.declare(app);
    people.declare_person(app);
    app.add_flag("--json", json, "for machines");
  }
  /// Budget, relation, group and people of either request.
  template <class Request>
  Result<void> fill(Request& request) const {
    const Result<AskedBudget> spent = budget.asked();
    TableSpec spec;
    const Result<void> filled = people.fill(spec);
    if (!spent || !filled) {
      return !spent ? error_of(spent) : error_of(filled);
    }
    request.budget = spent->budget;
    request.relation = spent->relation;
    request.group_size = spent->group_size;
    request.people = counted_people(spec);
    return {};
  }
};

struct PlanBounds {
  AssumedOptions assumed;
  CountsOptions counts;
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
    PrivateBoundsRequest request;
    request.outside = outside;
    if (!row_norm.empty()) {
      request.row_norm = TableSpec{};  // in whatever units
    }
    ReleaseJob job;
    return counts.fill(request)
        .and_then([&] { return assumed.fill(job); })
        .and_then([&] { return assumed_schema(job); })
        .and_then([&](Schema schema) {
          if (request.people.given()) {
            schema.columns.push_back(request.people.column);
          }
          return PrivateBounds::make(request, schema);
        })
        .map([&](const PrivateBounds& plan) {
          print_facts(plan.outlook(assumed.rows), counts.json);
        });
  }
};

struct PlanScores {
  std::int64_t rows = 0;
  ScoresOptions picture;
  CountsOptions counts;

  void declare(CLI::App& app) {
    app.add_option("--rows", rows, "number of rows")
        ->required()
        ->check(whole_number(1, std::uint64_t{1} << 50))
        ->group("Size (assumed, no data is read)");
    picture.declare(app);
    counts.declare(app);
  }

  Outcome run() const {
    ScoresRequest request;
    return picture.fill(request)
        .and_then([&] { return counts.fill(request); })
        .and_then([&] { return Scores::outlook(request, rows); })
        .map([&](const PlanFacts& facts) { print_facts(facts, counts.json); });
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
