#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "engine/private_bounds.hpp"
#include "engine/scores.hpp"
#include "engine/table/job_run.hpp"
#include "engine/table/publication.hpp"

namespace eigenveil {

/// A histogram with noise from job to files, for whoever brings the rows: the steps of a release
/// (release_session.hpp), where the rows are read once and drawn from at once.
class CountsSession {
 public:
  /// The release of the axes, the ledger and what was said of the input.
  static Result<CountsSession> open(ReleaseJob job);
  const ReleaseJob& job() const { return job_; }
  /// How the rows are to be described: those of the job, with the columns of the axes.
  const TableSpec& table() const { return job_.table; }
  /// The columns are known: noise and guarantee.
  Result<void> begin(const Schema& read);
  Result<void> charge();
  bool found_again() const { return outcome_ && outcome_->again; }
  /// All rows, with the label as their last column; drawn and written. Nothing before the charge.
  Result<void> add(std::unique_ptr<RowReader> rows);
  Result<TableOutcome> finish();

 private:
  CountsSession(ReleaseJob job, Publication publication, std::optional<Scores> scores);
  const CountsPlan& counts() const;

  ReleaseJob job_;
  Publication publication_;
  std::optional<Scores> scores_;
  std::optional<PrivateBounds> bounds_;
  std::optional<TableOutcome> outcome_;
};

/// What such a job would come to for a table nobody has read.
Result<PlanFacts> counts_outlook(const ReleaseJob& job);

/// The release of such a job that names its input; `memory` as for any other (job_run.hpp).
Result<TableOutcome> run_counts(ReleaseJob job, const ColumnTable* memory, const JobHooks& hooks);

}  // namespace eigenveil
