#include "eigenveil/statistics/bounded_table.hpp"

#include "eigenveil/statistics/trusted_totals.hpp"

namespace eigenveil {

/// The only friend of a table, reached through trusted::rows.
class TableAccess {
 public:
  static std::span<const double> rows(const BoundedTable& table) { return table.values_; }
};

std::span<const double> trusted::rows(const BoundedTable& table) {
  return TableAccess::rows(table);
}

void BoundedTable::add(const double* values, std::size_t rows) {
  const BoundedRows clipped = BoundedRows::clip(bound_, values, rows);
  values_.insert(values_.end(), clipped.values().begin(), clipped.values().end());
}

Result<TableOrGram> read_table_or_gram(RowReader& reader, const RowBound& bound, int threads) {
  const std::size_t dimension = bound.dimension();
  RawRows kept{0, dimension, {}};
  RawRows block;
  // Raw rows wait until it is known which statistic they belong to: at most one more than columns
  // and one block.
  while (kept.rows < dimension) {
    if (const Result<void> read = reader.read(block); !read) {
      return error_of(read);
    }
    if (block.rows == 0) {
      BoundedTable table(reader.schema(), bound);
      table.add(kept.values.data(), kept.rows);
      return table;
    }
    kept.values.insert(kept.values.end(), block.values.begin(), block.values.end());
    kept.rows += block.rows;
  }
  if (const Result<void> fits = ExactGram::check_shape(reader.schema(), bound); !fits) {
    return error_of(fits);
  }
  GramAccumulator accumulator(reader.schema(), bound, threads);
  if (const Result<void> added = accumulator.add(kept.values.data(), kept.rows); !added) {
    return error_of(added);
  }
  kept = {};
  if (const Result<void> added = accumulator.add(reader); !added) {
    return error_of(added);
  }
  return accumulator.finish().map([](ExactGram&& gram) { return TableOrGram(std::move(gram)); });
}

}  // namespace eigenveil
