#include "engine/scores.hpp"

#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options/budget_options.hpp"
#include "cli/options/input_options.hpp"
#include "cli/options/ledger_options.hpp"
#include "cli/options/output_options.hpp"
#include "cli/options/scores_options.hpp"
#include "cli/progress.hpp"
#include "cli/summary.hpp"
#include "data/row_labels.hpp"
#include "engine/release_cost.hpp"
#include "engine/table/publication.hpp"
#include "engine/table/release_job.hpp"

namespace eigenveil::cli {
namespace {

/// `scores INPUT --on release.json`: the picture everyone makes.
struct ScoresCommand {
  InputOptions input;
  BudgetOptions budget;
  OutputOptions output;
  LedgerOptions ledger;
  std::string on;
  std::string axes = "1,2";
  ScoresOptions picture;
  std::string labels;

  void declare(CLI::App& app) {
    input.declare(app);
    input.declare_person(app);
    app.add_option("--on", on, "a release of components: its loadings are the axes")
        ->required()
        ->group("Scores");
    app.add_option("--axes", axes, "two components, across and up (default 1,2)")->group("Scores");
    picture.declare(app);
    app.add_option("--labels", labels,
                   "of .bed, .npy or .idx: a CSV or TSV file with the column of --label, one line "
                   "per row, or with people as the .fam file names them in its first column")
        ->group("Scores");
    budget.declare(app);
    output.declare(app);
    ledger.declare(app);
  }

  Result<ScoresRequest> request() const {
    const Result<AskedBudget> spent = budget.asked();
    if (!spent) {
      return error_of(spent);
    }
    ScoresRequest asked;
    asked.budget = spent->budget;
    asked.relation = spent->relation;
    asked.group_size = spent->group_size;
    const std::size_t comma = axes.find(',');
    const char* end = axes.data() + axes.size();
    if (comma == std::string::npos ||
        std::from_chars(axes.data(), axes.data() + comma, asked.axes[0]).ptr !=
            axes.data() + comma ||
        std::from_chars(axes.data() + comma + 1, end, asked.axes[1]).ptr != end) {
      return bad_request("--axes is written A,B, for example --axes 1,2");
    }
    if (const Result<void> filled = picture.fill(asked); !filled) {
      return error_of(filled);
    }
    if (!picture.label.empty()) {
      if (input.is_text() != labels.empty()) {
        return bad_request(input.is_text()
                               ? "--label names a column of a CSV or TSV table: leave out --labels"
                               : "this table has numbers alone: give --labels FILE, which has the "
                                 "column of --label");
      }
    } else if (!labels.empty()) {
      return bad_request("--labels needs --label COLUMN=A|B|C, a column of that file");
    }
    return asked;
  }

  Outcome run() const {
    Result<ScoresRequest> asked = request();
    TableSpec spec;
    if (const Result<void> filled = input.fill(spec); !asked || !filled) {
      return !asked ? error_of(asked) : error_of(filled);
    }
    if (!spec.person.empty() && !labels.empty()) {
      return bad_request("--labels names rows, which --person takes away: one row per person");
    }
    draw_person_key(spec);
    asked->people = counted_people(spec);
    if (input.is_gram() || input.chooses_columns()) {
      return bad_request(
          "scores reads the rows, with the columns of the release: leave out what chooses columns");
    }
    const Result<Scores> scores = read_release(on).and_then(
        [&](const ReadRelease& release) { return Scores::make(*asked, release); });
    if (!scores) {
      return error_of(scores);
    }
    ReleaseOutput kept = output.as_asked();
    ledger.fill(kept);
    std::vector<std::string> inputs = {input.input};
    if (!labels.empty()) {
      inputs.push_back(labels);
    }
    Result<Publication> publication = Publication::open(kept, inputs, input.format());
    if (!publication) {
      return error_of(publication);
    }
    spec.columns = scores->table().columns;
    spec.one_hot = scores->table().one_hot;
    Result<ReadOptions> options = read_options(spec, input.format(), input.is_text());
    if (!options) {
      return error_of(options);
    }
    if (!asked->label.column.empty() && labels.empty()) {
      options->appended = {asked->label.column};
      options->words.push_back({asked->label.column, asked->label.words});
    }
    Result<std::unique_ptr<RowReader>> reader = open_rows(input.input, *options);
    if (reader && !labels.empty()) {
      ReadOptions beside = input.format();
      beside.bad_cell = spec.bad_cell;
      reader = label_rows(std::move(*reader), input.input,
                          {labels, beside, {asked->label.column, asked->label.words}});
    }
    if (!reader) {
      return error_of(reader);
    }
    publication->build_on(scores->on());
    RandomStream stream = kept.stream();
    return publication
        ->release(cost_of(scores->counts(), "scores", asked->budget, kept.seed.has_value()),
                  scores->request_text(),
                  [&] {
                    return scores->release(
                        with_progress(std::move(*reader), input.display_name(), output.is_quiet()),
                        stream, input.thread_count());
                  })
        .map([&](const TableOutcome& outcome) {
          print_release(outcome, output, input.display_name());
        });
  }
};

}  // namespace

Command scores_command() {
  return command_of<ScoresCommand>(
      "scores",
      "People on two released components, as a noisy 2-D histogram.\n"
      "  eigenveil scores survey.csv --on out/release.json --axes 1,2 --mu 1 --out picture/");
}

}  // namespace eigenveil::cli
