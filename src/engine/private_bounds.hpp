#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "data/magnitude_grid.hpp"
#include "eigenveil/engine/method.hpp"
#include "eigenveil/random/stream.hpp"
#include "eigenveil/report/document.hpp"
#include "engine/counted_people.hpp"
#include "engine/table/table_spec.hpp"
#include "mechanism/histogram/noisy_counts.hpp"

namespace eigenveil {

/// Ranges of columns from a noisy histogram of each, for tables whose bounds nobody knows.
struct PrivateBoundsRequest {
  Budget budget = PureDp{0.0};
  Relation relation = Relation::AddRemove;
  int group_size = 1;
  double outside = 0.001;                 ///< share of rows that a range may leave out, about
  std::optional<ColumnRange> outer = {};  ///< for columns whose range noise hides; absent: none
  /// One norm of all rows instead of a range for each column: in the units that these ranges give,
  /// or of the cells as they stand where there are none.
  std::optional<TableSpec> row_norm = {};
  CountedPeople people = {};
};

/// Where the rows of one column lie, as far as its noisy counts show: cells from `first` to `last`.
struct ShownCells {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// Field of the result with a sentence where the ranges may cut off a good part of the rows.
inline constexpr const char* kCutOffWarning = "cut_off_warning";

/// Looks at the noisy counts of the values of one column alone, so it is post-processing. A window
/// of w cells counts as filled when its sum passes `rows` * outside + `noise`(w), which its noise
/// alone hardly does; the highest filled window of each length says where the rows end (its lowest
/// cell: the next window up has lost it), and the farthest of those is taken; likewise below. Whole
/// tails would carry sqrt(cells) times the noise of a cell. Nothing where no window is filled, or
/// where windows are so long that the ends cross: then the rows are somewhere between them.
std::optional<ShownCells> shown_cells(const Vector& counts, double rows, double outside,
                                      const std::function<double(std::size_t)>& noise);

/// One pass over the rows: every one adds one to one cell of every column.
class PrivateBounds {
 public:
  /// `read` is the schema of the reader: with people, what says whose a row is comes last.
  static Result<PrivateBounds> make(const PrivateBoundsRequest& asked, const Schema& read);
  const Guarantee& guarantee() const { return plan_.guarantee(); }
  const CountsPlan& counts() const { return plan_; }
  /// What is asked for, as canonical JSON: two requests for the same thing are the same text.
  std::string request_text() const;
  double count_sd() const { return plan_.sd(); }
  /// What it would show of a table of so many rows, and what it costs. No row is read.
  PlanFacts outlook(std::int64_t rows) const;
  Result<ReleaseDocument> release(RowReader& rows, RandomStream& stream, int threads) const;

 private:
  PrivateBounds(PrivateBoundsRequest request, Schema schema, CountsPlan plan);
  /// Adds every row to its cells, `workers` at a time.
  Result<std::vector<std::uint64_t>> counted(RowReader& rows, std::size_t workers) const;
  /// What the noise of a window exceeds anywhere, in all windows of all columns, with at most 0.01.
  double window_noise(std::size_t cells) const;
  /// How many rows a window of so many cells may hold and not count as filled, by public numbers.
  double hidden_rows(double rows, std::size_t cells) const;
  /// Of the rows, what the noise of both ends (of a norm: the upper one) may hide within a factor
  /// of 16 beyond them; the one rule for plans and releases.
  double share_outside(double rows) const;
  /// What follows from it, in a sentence; empty where it is little.
  std::string outside_in_words(double rows) const;
  /// Of the number of rows, which every histogram adds up to.
  double rows_sd() const;

  PrivateBoundsRequest request_;
  Schema schema_;                            ///< of what is counted: columns, or the norm
  std::optional<RowBound> norm_units_ = {};  ///< where rows are counted by their norms
  CountsPlan plan_;
  MagnitudeGrid grid_;
};

}  // namespace eigenveil
