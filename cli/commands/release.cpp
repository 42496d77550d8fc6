#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options/checks.hpp"
#include "cli/options/ledger_options.hpp"
#include "cli/options/output_options.hpp"
#include "cli/options/request_options.hpp"
#include "cli/options/table_options.hpp"
#include "cli/progress.hpp"
#include "cli/summary.hpp"
#include "engine/table/job_run.hpp"

namespace eigenveil::cli {
namespace {

/// A command that publishes something about a table: options become a job of the engine, and what
/// comes of it is printed.
struct ReleaseCommand {
  RequestOptions what;
  InputOptions input;
  OutputOptions output;
  LedgerOptions ledger;
  std::vector<std::string> more_blocks;  ///< of methods that take blocks
  std::optional<std::int64_t> rows;      ///< their public number, if known
  std::int64_t declared_rows = 0;        ///< --people: public, never counted in the file
  bool anyway = false;
  std::string expected_columns;

  void declare(CLI::App& app);
  Outcome run() const;

 private:
  /// Tasks whose results can go back from stages to the columns.
  bool takes_stages() const { return has_bound(what.task) && what.task != Task::Mask; }
  Result<ReleaseJob> job() const;
};

void ReleaseCommand::declare(CLI::App& app) {
  input.declare(app);
  if (has_bound(what.task)) {
    input.declare_one_hot(app);
  }
  if (takes_stages()) {
    input.declare_people(app);
    what.bounds.declare_stages(app);
    constexpr const char* kVerdict = "Verdict (before anything is spent)";
    app.add_option("--people", declared_rows,
                   "how many rows there are, about, as the public knows it: a release that noise "
                   "must drown at this number is refused, and one that needs more than 2000 to "
                   "show anything asks for it")
        ->check(whole_number(1, std::uint64_t{1} << 50))
        ->group(kVerdict);
    app.add_flag("--anyway", anyway, "spend although the verdict is against it")->group(kVerdict);
  }
  // From the explorer, whose table may have been exchanged since it was looked at; in no help.
  app.add_option("--expect-columns", expected_columns)->group("");
  if (what.task == Task::Mask) {
    app.add_option(
           "--blocks", more_blocks,
           "further shards of the table: every file is masked by itself, the noise is that of "
           "the smallest, and the output holds all of them")
        ->group("Input");
  }
  what.declare(app);
  output.declare(app);
  ledger.declare(app);
  if (has_bound(what.task)) {
    ledger.declare_same_data(app);
  }
  what.own.declare(app, what.task);
  if (what.task == Task::Mask) {
    app.get_option("--out")->description(
        "directory for release.json and its arrays, or a file .csv, .csv.gz or .npy with the "
        "release beside it; written whole or not at all");
  }
  if (what.task == Task::Subspace) {
    app.add_option("--rows", rows, "number of rows, if known: saves counting them first")
        ->check(whole_number(1));
    app.get_option("--missing")
        ->description(
            "midpoint (default) or refuse; no range is known here, so that a row with a missing "
            "cell counts as the zero row");
    app.get_option("--bad-cell")
        ->description(
            "refuse (default: a cell that is no number stops the run) or midpoint: as if missing");
  }
}

Result<ReleaseJob> ReleaseCommand::job() const {
  ReleaseJob job;
  Result<Request> request = what.request();
  if (!request) {
    return error_of(request);
  }
  job.request = *std::move(request);
  Result<TableSpec> table = table_spec(input, what.bounds);
  if (!table) {
    return error_of(table);
  }
  job.table = *std::move(table);
  job.format = input.format();
  job.inputs = {input.input};
  job.inputs.insert(job.inputs.end(), more_blocks.begin(), more_blocks.end());
  job.rows = rows;
  job.people = declared_rows > 0 ? std::optional(declared_rows) : std::nullopt;
  job.anyway = anyway;
  job.expected_columns = expected_columns;
  job.threads = input.thread_count();
  job.output = output.as_asked(what.bounds.bounds_file);
  ledger.fill(job.output);
  job.must_be_written = what.task == Task::Mask || (what.task == Task::Subspace && !output.json);
  return settle_job(job).map([&] { return job; });
}

/// Rows that are not those of the last release under this name; says nothing about them.
Result<bool> ask_same_data() {
  fmt::print(stderr,
             "question: the rows are not those of the last release under this name; is it the same "
             "data set, changed on purpose? [y/N] ");
  std::fflush(stderr);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

JobHooks at_terminal(bool quiet) {
  JobHooks hooks;
  hooks.reading = [quiet](std::unique_ptr<RowReader> reader, const std::string& path) {
    return with_progress(std::move(reader), display_name(path), quiet);
  };
  hooks.drawing = [quiet](double seconds, const std::function<Result<ReleaseDocument>()>& draw) {
    const DrawingBar bar(seconds, quiet);
    return draw();
  };
  if (::isatty(STDIN_FILENO) != 0 && ::isatty(STDERR_FILENO) != 0) {
    hooks.same_data = ask_same_data;
  }
  return hooks;
}

Outcome ReleaseCommand::run() const {
  return job()
      .and_then([&](ReleaseJob asked) {
        return run_job(std::move(asked), nullptr, at_terminal(output.is_quiet()));
      })
      .map([&](const TableOutcome& outcome) {
        print_release(outcome, output, input.display_name());
      });
}

Command release_command(std::string name, std::string summary, Task task) {
  ReleaseCommand command;
  command.what.task = task;
  return command_of(std::move(name), std::move(summary), command);
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

Command mask_command() {
  return release_command(
      "mask",
      "Private pseudo-data: as many rows and the same columns, fit for linear models.\n"
      "  eigenveil mask survey.csv --epsilon 1 --delta 1e-6 --range 0:10 --intercept --out out/",
      Task::Mask);
}

Command subspace_command() {
  return release_command(
      "subspace",
      "The subspace in or near which the rows lie; no bound on the rows is needed, and the "
      "number of rows it takes does not grow with the number of columns.\n"
      "  eigenveil subspace embeddings.npy -k 5 --epsilon 1 --delta 1e-6 --gamma 1e-4 --out out/\n"
      "  eigenveil subspace points.csv --exact -k 2 --epsilon 1 --delta 1e-6 --out out/",
      Task::Subspace);
}

}  // namespace eigenveil::cli
