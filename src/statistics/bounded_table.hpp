#pragma once

#include <optional>
#include <variant>

#include "eigenveil/statistics/exact_gram.hpp"

namespace eigenveil {

/// Bounded rows kept in memory, in the order of the file: for tables with fewer rows than columns,
/// whose Gram matrix would be larger than the table. Private data; mechanisms read it through
/// statistics/trusted_totals.hpp.
class BoundedTable {
 public:
  BoundedTable(Schema schema, RowBound bound)
      : schema_(std::move(schema)), bound_(std::move(bound)) {}
  const Schema& schema() const { return schema_; }
  const RowBound& bound() const { return bound_; }
  std::size_t rows() const { return values_.size() / bound_.dimension(); }
  /// Clips and rounds rows as the exact pass does.
  void add(const double* values, std::size_t rows);

 private:
  friend class TableAccess;
  Schema schema_;
  RowBound bound_;
  std::vector<double> values_;  ///< row-major grid integers
};

/// What a spectral method keeps of a table: the exact Gram, or the rows when there are fewer of
/// them than columns. Which one depends on the number of rows and columns alone, so it is meant for
/// relations under which the number of rows is public.
using TableOrGram = std::variant<BoundedTable, ExactGram>;
Result<TableOrGram> read_table_or_gram(RowReader& reader, const RowBound& bound, int threads);

/// The same from several readers with the same columns, one after the other.
class TableOrGramAccumulator {
 public:
  TableOrGramAccumulator(Schema schema, RowBound bound, int threads)
      : schema_(std::move(schema)),
        bound_(std::move(bound)),
        threads_(threads),
        kept_{0, bound_.dimension(), {}} {}
  Result<void> add(RowReader& reader);
  /// Once; the accumulator is empty afterwards.
  Result<TableOrGram> finish();

 private:
  Result<void> start_gram();

  Schema schema_;
  RowBound bound_;
  int threads_;
  /// Raw rows wait until it is known which statistic they belong to: at most as many as columns and
  /// one block.
  RawRows kept_;
  std::optional<GramAccumulator> gram_;
};

}  // namespace eigenveil
