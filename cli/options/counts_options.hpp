#pragma once

#include "cli/options/budget_options.hpp"
#include "cli/options/input_options.hpp"
#include "cli/options/ledger_options.hpp"
#include "cli/options/output_options.hpp"
#include "engine/table/release_job.hpp"

namespace eigenveil::cli {

/// What `scores` and `bounds private` have in common: whose rows, at what price, where it goes.
struct CountsOptions {
  InputOptions input;
  BudgetOptions budget;
  OutputOptions output;
  LedgerOptions ledger;

  void declare(CLI::App& app);
  /// Counts and prints; `table`: what else is known of it.
  Result<void> run(AskedCounts asked, TableSpec table = {}) const;
};

/// Budget, neighbours and group of a job.
Result<void> fill_budget(const BudgetOptions& budget, ReleaseJob& job);

}  // namespace eigenveil::cli
