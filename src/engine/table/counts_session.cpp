#include "engine/table/counts_session.hpp"

#include <utility>

#include "data/row_labels.hpp"
#include "eigenveil/report/read_release.hpp"
#include "engine/release_cost.hpp"
#include "engine/table/opened_table.hpp"

namespace eigenveil {
namespace {

const AskedScores* asked_scores(const ReleaseJob& job) {
  return std::get_if<AskedScores>(&*job.counts);
}

ScoresRequest scores_request(const ReleaseJob& job) {
  const AskedScores& asked = *asked_scores(job);
  return {asked.axes,
          asked.cells,
          asked.label,
          *job.request.budget,
          job.request.relation,
          job.request.group_size,
          counted_people(job.table)};
}

PrivateBoundsRequest bounds_request(const ReleaseJob& job) {
  const auto& asked = std::get<AskedBounds>(*job.counts);
  return {*job.request.budget,
          job.request.relation,
          job.request.group_size,
          asked.outside,
          asked.outer,
          asked.row_norm ? std::optional(job.table) : std::nullopt,
          counted_people(job.table)};
}

/// What the columns of a release and a file of labels leave to be said, once the input is known.
Result<void> check_labels(const AskedScores& asked, const TableSource& source,
                          const TableSpec& table) {
  if (asked.label.column.empty()) {
    return asked.labels.empty()
               ? Result<void>()
               : bad_request("{labels} needs {label COLUMN=A|B|C}, a column of that file",
                             "labels");
  }
  const bool words = source.is_text() || source.path.empty();
  if (words != asked.labels.empty()) {
    return words ? bad_request("{label} names a column of the table: leave out {labels}", "labels")
                 : bad_request(
                       "this table has numbers alone: give {labels FILE}, which has the column of "
                       "{label}",
                       "labels");
  }
  return asked.labels.empty() || table.person.empty()
             ? Result<void>()
             : bad_request("{labels} names rows, which {person} takes away: one row per person",
                           "labels");
}

/// The rows of the input as far as their names, with the label behind them.
Result<std::unique_ptr<RowReader>> opened_rows(const CountsSession& session,
                                               const TableSource& source) {
  const AskedScores* asked = asked_scores(session.job());
  const bool labelled = asked != nullptr && !asked->label.column.empty();
  Result<ReadOptions> options = source.reading();
  if (!options || !labelled) {
    return options ? source.read(*options) : error_of(options);
  }
  const WordColumn label{asked->label.column, asked->label.words};
  if (asked->labels.empty()) {
    options->appended = {label.column};
    options->words.push_back(label);
    return source.read(*options);
  }
  return source.read(*options).and_then([&](std::unique_ptr<RowReader> rows) {
    ReadOptions beside = source.format;
    beside.bad_cell = session.table().bad_cell;
    return label_rows(std::move(rows), source.path, {asked->labels, beside, label});
  });
}

}  // namespace

CountsSession::CountsSession(ReleaseJob job, Publication publication, std::optional<Scores> scores)
    : job_(std::move(job)), publication_(std::move(publication)), scores_(std::move(scores)) {
  if (scores_) {
    publication_.build_on(scores_->on());
    job_.table.columns = scores_->table().columns;
    job_.table.one_hot = scores_->table().one_hot;
  }
}

Result<CountsSession> CountsSession::open(ReleaseJob job) {
  std::optional<Scores> scores;
  std::vector<std::string> inputs = job.inputs;
  if (const AskedScores* asked = asked_scores(job)) {
    Result<Scores> made = read_release(asked->on).and_then(
        [&](const ReadRelease& on) { return Scores::make(scores_request(job), on); });
    if (!made) {
      return error_of(made);
    }
    scores = *std::move(made);
    if (!asked->labels.empty()) {
      inputs.push_back(asked->labels);
    }
  }
  return Publication::open(job.output, inputs, job.format).map([&](Publication publication) {
    return CountsSession(std::move(job), std::move(publication), std::move(scores));
  });
}

Result<void> CountsSession::begin(const Schema& read) {
  if (scores_) {
    return {};
  }
  return PrivateBounds::make(bounds_request(job_), read).map([&](PrivateBounds made) {
    bounds_ = std::move(made);
  });
}

const CountsPlan& CountsSession::counts() const {
  return scores_ ? scores_->counts() : bounds_->counts();
}

Result<void> CountsSession::charge() {
  const ReleaseCost cost = cost_of(counts(), scores_ ? "scores" : "bounds", *job_.request.budget,
                                   job_.output.seed.has_value());
  return publication_.charge(cost, scores_ ? scores_->request_text() : bounds_->request_text())
      .map([&](bool found) {
        if (found) {
          outcome_ = publication_.found_again();
        }
      });
}

Result<void> CountsSession::add(std::unique_ptr<RowReader> rows) {
  if (outcome_) {
    return bad_request("a histogram is drawn once");
  }
  RandomStream stream = job_.output.stream();
  return (scores_ ? scores_->release(std::move(rows), stream, job_.threads)
                  : bounds_->release(*rows, stream, job_.threads))
      .and_then([&](ReleaseDocument document) { return publication_.publish(std::move(document)); })
      .map([&](TableOutcome outcome) { outcome_ = std::move(outcome); })
      .map_error([&](Error error) { return publication_.at_its_cost(std::move(error)); });
}

Result<TableOutcome> CountsSession::finish() {
  return outcome_ ? Result<TableOutcome>(*std::move(outcome_))
                  : bad_request("there are no rows to release");
}

Result<PlanFacts> counts_outlook(const ReleaseJob& job) {
  if (!job.rows) {
    return bad_request("give {rows N}, the number of rows that is assumed", "rows");
  }
  if (asked_scores(job) != nullptr) {
    return Scores::outlook(scores_request(job), *job.rows);
  }
  return assumed_schema(job)
      .and_then([&](Schema schema) {
        if (!job.table.person.empty()) {
          schema.columns.push_back(job.table.person);
        }
        return PrivateBounds::make(bounds_request(job), schema);
      })
      .map([&](const PrivateBounds& plan) { return plan.outlook(*job.rows); });
}

Result<TableOutcome> run_counts(ReleaseJob job, const ColumnTable* memory, const JobHooks& hooks) {
  if (job.inputs.size() > 1) {
    return bad_request("cells are counted in one table", "input");
  }
  TableSource source{
      job.inputs.empty() ? std::string() : job.inputs.front(), memory, {}, job.format};
  if (source.is_gram()) {
    return bad_request("a .gram file holds sums, and cells count rows: give the rows themselves");
  }
  if (const AskedScores* asked = asked_scores(job)) {
    if (const Result<void> fit = check_labels(*asked, source, job.table); !fit) {
      return error_of(fit);
    }
  }
  return CountsSession::open(std::move(job)).and_then([&](CountsSession session) {
    source.table = session.table();
    return opened_rows(session, source).and_then([&](std::unique_ptr<RowReader> rows) {
      return session.begin(rows->schema())
          .and_then([&] { return session.charge(); })
          .and_then([&] {
            if (session.found_again()) {
              return Result<void>();
            }
            return session.add(hooks.reading && !source.path.empty()
                                   ? hooks.reading(std::move(rows), source.path)
                                   : std::move(rows));
          })
          .and_then([&] { return session.finish(); });
    });
  });
}

}  // namespace eigenveil
