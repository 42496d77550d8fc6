#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/audits/audits.hpp"
#include "cli/options/budget_options.hpp"
#include "cli/options/checks.hpp"
#include "core/parallel.hpp"

namespace eigenveil::cli {
namespace {

struct MethodAuditOptions {
  AuditedMethod method;
  AuditRequest request;
  std::string table = "unit-norm";
  std::optional<std::uint64_t> seed;
  BudgetOptions budget;

  explicit MethodAuditOptions(const AuditedMethod& audited)
      : method(audited), request(default_request(audited)) {
    budget.neighbours = name_of(audited.relations[0]);
  }
  void declare(CLI::App& app);
  Outcome run() const;

 private:
  Result<AuditRequest> asked() const;
};

void MethodAuditOptions::declare(CLI::App& app) {
  budget.declare(app);
  if (method.bounds_rows) {
    app.add_option("--table", table,
                   "how rows are bounded: unit-norm (default), row-norm (3) or ranges");
  }
  if (method.takes.dimension) {
    app.add_option("--dimension", request.dimension, "columns of the attacked pair (default 2)")
        ->check(whole_number(1, 50));
  }
  if (method.takes.rows) {
    app.add_option("--rows", request.rows, "rows of the attacked pair (default 12)")
        ->check(whole_number(3, 10'000));
  }
  if (method.takes.private_mean) {
    app.add_flag("--private-mean", request.private_mean, "attack the release with a private mean");
  }
  if (method.takes.variance_share) {
    app.add_option("--variance-share", request.variance_share,
                   "share of the budget for the variance (default here 0.5, to see both parts)")
        ->check(number_in(kOpenUnit));
  }
  app.add_option("--runs", request.settings.runs,
                 fmt::format("runs on each data set (default {})", method.runs))
      ->check(whole_number(1000, 100'000'000));
  app.add_flag("--mutants", request.mutants,
               "attack broken versions too: every one within reach of the runs must be refuted");
  app.add_option("--seed", seed, "the same attack again, for tests")->check(whole_number(0));
}

/// Without a budget the one at which the attacks show most.
Result<AuditRequest> MethodAuditOptions::asked() const {
  AuditRequest made = request;
  made.setting.group_size = budget.group_size;
  made.settings.threads = default_threads();
  if (budget.given()) {
    const Result<Budget> given = budget.budget();
    if (!given) {
      return error_of(given);
    }
    made.budget = *given;
  }
  return budget.relation().and_then([&](Relation relation) {
    made.setting.relation = relation;
    return parse_attacked_bound(table).map([&](AttackedBound bound) {
      made.setting.bound = bound;
      return made;
    });
  });
}

Outcome MethodAuditOptions::run() const {
  const Result<AuditRequest> attacked = asked();
  if (!attacked) {
    return error_of(attacked);
  }
  RandomStream stream = seed ? RandomStream::seeded(*seed) : RandomStream::secure();
  bool first = true;
  bool wrong = false;
  const auto print = [&](const Finding& finding) {
    if (first) {
      fmt::print(
          "Audit of {}: {} runs on each of two neighbouring data sets ({}), confidence 99.9%\n",
          method.name, attacked->settings.runs, finding.setting);
      fmt::print("  {:<66}{:>10}{:>10}\n", "", finding.result.unit + " >=", "claimed");
    }
    first = false;
    wrong = wrong || finding.wrong();
    fmt::print("  {:<66}{:>10.4f}{:>10.4f}   {}\n", finding.result.name, finding.result.lower_bound,
               finding.result.claimed, finding.verdict());
  };
  if (const auto done = run_audit(method, *attacked, stream, print); !done) {
    return error_of(done);
  }
  if (wrong) {
    return input_output_error(
        "the audit did not come out as it must (see the table); a small budget needs more --runs "
        "before a mutant shows");
  }
  return {};
}

}  // namespace

Command method_audit(const AuditedMethod& method) {
  return command_of(method.name, method.summary, MethodAuditOptions(method));
}

}  // namespace eigenveil::cli
