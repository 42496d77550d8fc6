#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eigenveil/data/column_table.hpp"
#include "eigenveil/engine/method.hpp"
#include "eigenveil/statistics/exact_gram.hpp"
#include "engine/table/prepared_table.hpp"
#include "statistics/gram_head.hpp"

namespace eigenveil {

inline bool is_gram_file(const std::string& path) {
  return path.ends_with(".gram");
}

/// A table, or a block of one: where its rows are and how they become bounded rows.
struct TableSource {
  std::string path;  ///< empty: rows in memory
  const ColumnTable* memory = nullptr;
  TableSpec table;
  ReadOptions format;  ///< of a text table: header, width, separator

  bool is_gram() const { return is_gram_file(path); }
  bool is_text() const { return !path.empty() && is_text_table(path); }
  /// Whether the rows can be had a second time: no pipe.
  bool can_be_read_again() const;
  /// How the rows are to be read, and the rows as they are read.
  Result<ReadOptions> reading() const;
  Result<std::unique_ptr<RowReader>> read() const;
  Result<std::unique_ptr<RowReader>> read(const ReadOptions& options) const;
};

/// Said of a .gram file and options that would shape its rows.
tl::unexpected<Error> carries_its_bound();

/// What a face puts around a reader, for those who watch.
using WatchRows = std::function<std::unique_ptr<RowReader>(std::unique_ptr<RowReader>)>;

/// A table opened as far as its public facts, columns and bound: a plan can be made, and refused,
/// before anything private is touched. Then its rows, as often as they are wanted.
class OpenedTable {
 public:
  /// A row norm that a method's model gives, once the columns are known.
  using ModelRadius = std::function<double(const Schema&)>;
  static Result<OpenedTable> bounded(TableSource source, const ModelRadius& model = {});
  /// A table whose rows may have any length.
  static Result<OpenedTable> unbounded(TableSource source);
  /// Tables whose rows somebody else brings, with these columns as they are read, or whose totals
  /// are at hand.
  static Result<OpenedTable> awaited(TableSpec spec, const Schema& read, bool read_again,
                                     std::optional<std::int64_t> stated_rows,
                                     const ModelRadius& model = {});
  static Result<OpenedTable> awaited_unbounded(const Schema& read);
  static Result<OpenedTable> awaited_totals(TableSource source, GramHead head);

  PublicFacts facts() const;
  /// Whose rows were limited, if anybody's.
  const PeopleLimit& people() const {
    return (prepared_ ? prepared_->schema() : plain_->schema).people;
  }
  /// How many rows there are, as a header says it; private where the relation protects it.
  std::optional<std::int64_t> stated_rows() const;
  /// Stages and columns; null where there are none: totals, rows of any length.
  const PreparedTable* prepared() const { return prepared_ ? &*prepared_ : nullptr; }
  /// The rows from the start; a second call opens the table again.
  Result<std::unique_ptr<RowReader>> rows(const WatchRows& watch = {});
  /// The next of the readers that somebody else brings, behind the stages. People who came in an
  /// earlier one are remembered.
  Result<std::unique_ptr<RowReader>> staged(RowReader& read);
  /// Totals of a .gram file are private like rows: they are read here, once a ledger was charged.
  /// Null: there are rows.
  Result<const ExactGram*> load_totals();
  /// Totals of a .gram file, or of one pass over the rows, and over those of `more` files of the
  /// same table after them.
  Result<const ExactGram*> sums(int threads, const WatchRows& watch = {},
                                const std::vector<TableSource>& more = {});
  /// A released document in terms of the table.
  ReleaseDocument finish(ReleaseDocument document) const;

 private:
  explicit OpenedTable(TableSource source) : source_(std::move(source)) {}

  TableSource source_;
  std::optional<PublicFacts> plain_;       ///< of tasks without a bound, and of a .gram file
  std::optional<PreparedTable> prepared_;  ///< of the others, and of a .gram file inside of a basis
  std::shared_ptr<ExactGram> sums_;        ///< once they are there
  std::unique_ptr<RowReader> first_;       ///< opened for its columns, not read yet
  std::optional<bool> comes_again_;        ///< of rows that somebody else brings
  std::optional<std::int64_t> stated_;     ///< of those, and of totals
  std::shared_ptr<SeenPeople> seen_ = nobody_seen();
  bool ranked_ = false;
};

}  // namespace eigenveil
