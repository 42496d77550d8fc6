#pragma once

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "data/one_hot.hpp"
#include "eigenveil/engine/method.hpp"
#include "eigenveil/random/stream.hpp"
#include "eigenveil/report/document.hpp"
#include "eigenveil/report/read_release.hpp"
#include "engine/counted_people.hpp"
#include "engine/table/table_spec.hpp"
#include "mechanism/histogram/noisy_counts.hpp"

namespace eigenveil {

/// People on two released axes, as a histogram with noise.
struct ScoresRequest {
  std::array<std::size_t, 2> axes = {1, 2};  ///< components, from 1
  std::size_t cells = 20;                    ///< along each axis
  WordList label = {};                       ///< a column and its public levels; empty: none
  Budget budget = PureDp{0.0};
  Relation relation = Relation::AddRemove;
  int group_size = 1;
  CountedPeople people = {};
};

/// Whether loadings are in units that rows can be brought to again.
bool has_score_units(const ReleaseDocument& on);

/// Scores x -> (v_a (x - m), v_b (x - m)) on the loadings of a release, counted on a grid that its
/// variances give (four deviations to both sides; the outer cells hold what lies beyond). A row
/// adds one to one cell of cells x cells x levels, so noise does not depend on how long rows are.
class Scores {
 public:
  /// What a plot of so many rows would show, whatever the axes, and what it costs. No row is read.
  static Result<PlanFacts> outlook(const ScoresRequest& asked, std::int64_t rows);
  static Result<Scores> make(const ScoresRequest& asked, const ReadRelease& on);
  /// How the table must be read: the columns of the release (before `one_hot`), then the label.
  const TableSpec& table() const { return table_; }
  const Guarantee& guarantee() const { return plan_.guarantee(); }
  const CountsPlan& counts() const { return plan_; }
  /// What is asked for, as canonical JSON: two requests for the same thing are the same text.
  std::string request_text() const;
  /// Checksum of the release whose loadings are the axes.
  const std::string& on() const { return checksum_; }
  Result<ReleaseDocument> release(std::unique_ptr<RowReader> rows, RandomStream& stream,
                                  int threads) const;

 private:
  Scores(ScoresRequest request, TableSpec table, CountsPlan plan)
      : request_(std::move(request)), table_(std::move(table)), plan_(std::move(plan)) {}
  std::size_t levels() const { return request_.label.words.size() + 1; }
  std::size_t cell_of(const double* row, std::size_t width) const;

  ScoresRequest request_;
  TableSpec table_;
  CountsPlan plan_;
  std::vector<Categories> one_hot_ = {};  ///< columns whose levels are columns of the release
  bool inside_ = false;                   ///< the axes lie in a public basis
  std::vector<double> frequencies_ = {};
  std::vector<double> center_ = {};
  PublicBasis axes_ = {};
  std::array<double, 2> deviations_ = {1.0, 1.0};
  /// Of the released variance; not a number where the release has none.
  std::array<double, 2> shares_ = {std::numeric_limits<double>::quiet_NaN(),
                                   std::numeric_limits<double>::quiet_NaN()};
  std::array<double, 2> rows_of_axes_ = {0.0, 0.0};  ///< noisy, and its deviation; 0: not said
  std::string checksum_ = {};
};

}  // namespace eigenveil
