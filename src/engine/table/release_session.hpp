#pragma once

#include <memory>
#include <optional>

#include "data/exact_rows.hpp"
#include "eigenveil/engine/release.hpp"
#include "engine/table/opened_table.hpp"
#include "engine/table/publication.hpp"
#include "engine/table/release_job.hpp"

namespace eigenveil {

/// A table whose rows somebody else brings, with these columns as they are read; a method's model
/// may give the bound.
Result<OpenedTable> awaited_table(const Method& method, const ReleaseJob& job, const Schema& read,
                                  bool read_again, std::optional<std::int64_t> stated_rows = {});

/// A release from request to files, the one way there is, for whoever brings the rows: a job that
/// opens its input (job_run.hpp), or a face whose rows come in blocks. The steps stand in their
/// order, so that every refusal that can come from the request comes before a row is read; where a
/// retry found its release (`found_again`) those up to `finish` are left out.
class ReleaseSession {
 public:
  /// Method, ledger and what was said of the input. `ask` answers whether it is the same data set;
  /// empty: there is nobody to ask.
  static Result<ReleaseSession> open(ReleaseJob job, AskSameData ask = {});

  const ReleaseJob& job() const { return job_; }
  const MethodInfo& info() const { return method_->info(); }
  bool found_again() const { return found_again_; }
  bool charges() const { return publication_.charges(); }
  /// An error of any step, with what it cost once the release was charged.
  Error at_its_cost(Error error) const { return publication_.at_its_cost(std::move(error)); }
  /// What is to be heard before anything is spent.
  const std::vector<std::string>& warnings() const { return publication_.warnings(); }

  /// The table as far as its columns; a method's model may give the bound.
  Result<OpenedTable> open_table(TableSource source) const;
  /// The same for rows that somebody else brings.
  Result<OpenedTable> awaited_table(const Schema& read, bool read_again,
                                    std::optional<std::int64_t> stated_rows = {}) const {
    return eigenveil::awaited_table(*method_, job_, read, read_again, stated_rows);
  }
  /// The same for totals that were made before.
  Result<OpenedTable> awaited_totals(GramHead head) const;

  /// Columns and bound are known. A plan that has to wait for the number of rows, which is public
  /// but must be read, is charged here as its method states it; what it refuses for want of rows
  /// stays spent.
  Result<void> begin(std::shared_ptr<OpenedTable> table);
  /// Whether the rows are to be counted before `plan`. Exact points are counted when they are read.
  bool wants_row_count() const;
  /// Noise and guarantee, a verdict and warnings; `counted` where it was wanted.
  Result<void> plan(std::optional<std::int64_t> counted = {});
  Result<void> charge();
  /// How long the draw may take; 0 where it is a moment.
  double draw_seconds() const { return plan_ ? plan_->draw_seconds() : 0.0; }

  /// Rows behind the stages of their table; several readers of one table one after the other.
  Result<void> add(RowReader& rows);
  /// Totals that were made before: a block of their own.
  Result<void> add(const ExactGram& totals);
  void add(ExactRows points);
  /// The next rows are those of another block.
  Result<void> end_block();
  Result<bool> wants_rows_again();
  /// The exact sums instead of a release; private.
  Result<ExactGram> take_sums();

  /// Draws once, whatever comes of it, and writes where the job says; or what was found again.
  Result<TableOutcome> finish(const AroundDraw& around = {});
  /// Of the draw, for post-processing that goes on with it.
  RandomStream take_stream() { return std::move(*stream_); }

 private:
  ReleaseSession(ReleaseJob job, const Method* method, Publication publication, AskSameData ask);
  const Request& request() const { return job_.request; }
  std::optional<std::int64_t> public_rows(const PublicFacts& facts) const;
  /// People whose rows were limited when stored totals were made.
  Result<void> take_people(const PeopleLimit& people);
  Result<void> judge(const PublicFacts& facts);
  Result<void> check_output() const;
  Result<void> charge(const ReleaseCost& cost, const std::string& request);
  /// Sums come before the draw: of a block, and where they are compared.
  bool gathers() const;
  Run& run();
  Result<ReleaseDocument> drawn(const AroundDraw& around);

  ReleaseJob job_;
  const Method* method_;
  Publication publication_;
  AskSameData ask_;
  std::shared_ptr<OpenedTable> table_;       ///< absent: exact points that were read at once
  std::optional<ReleaseCost> charged_cost_;  ///< where it was charged before the plan stood
  bool found_again_ = false;
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<RandomStream> stream_;
  std::unique_ptr<Run> run_;
  std::unique_ptr<GramAccumulator> sums_;  ///< of a block under way
  std::optional<ExactRows> points_;
};

}  // namespace eigenveil
