#include "cli/options/counts_options.hpp"

#include "cli/progress.hpp"
#include "cli/summary.hpp"
#include "engine/table/job_run.hpp"

namespace eigenveil::cli {

Result<void> fill_budget(const BudgetOptions& budget, ReleaseJob& job) {
  return budget.asked().map([&](const AskedBudget& spent) {
    job.request.budget = spent.budget;
    job.request.relation = spent.relation;
    job.request.group_size = spent.group_size;
  });
}

void CountsOptions::declare(CLI::App& app) {
  input.declare(app);
  input.declare_person(app);
  budget.declare(app);
  output.declare(app);
  ledger.declare(app);
}

Result<void> CountsOptions::run(AskedCounts asked, TableSpec table) const {
  ReleaseJob job;
  job.counts = std::move(asked);
  job.table = std::move(table);
  job.format = input.format();
  job.inputs = {input.input};
  job.threads = input.thread_count();
  job.output = output.as_asked();
  ledger.fill(job.output);
  JobHooks hooks;
  hooks.reading = [this](std::unique_ptr<RowReader> reader, const std::string& path) {
    return with_progress(std::move(reader), cli::display_name(path), output.is_quiet());
  };
  return fill_budget(budget, job)
      .and_then([&] { return input.fill(job.table); })
      .and_then([&] { return settle_job(job); })
      .and_then([&] { return run_job(std::move(job), nullptr, std::move(hooks)); })
      .map([&](const TableOutcome& outcome) {
        print_release(outcome, output, input.display_name());
      });
}

}  // namespace eigenveil::cli
