#include "statistics/bounded_table.hpp"

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

Result<void> TableOrGramAccumulator::start_gram() {
  if (const Result<void> fits = ExactGram::check_shape(schema_, bound_); !fits) {
    return error_of(fits);
  }
  gram_.emplace(schema_, bound_, threads_);
  const Result<void> added =
      gram_->add(MatrixView::row_major(kept_.values.data(), kept_.rows, bound_.dimension()));
  kept_ = {};
  return added;
}

Result<void> TableOrGramAccumulator::add(RowReader& reader) {
  RawRows block;
  while (!gram_) {
    if (const Result<void> read = reader.read(block); !read) {
      return error_of(read);
    }
    if (block.rows == 0) {
      return {};
    }
    kept_.values.insert(kept_.values.end(), block.values.begin(), block.values.end());
    kept_.rows += block.rows;
    if (kept_.rows >= bound_.dimension()) {
      if (const Result<void> started = start_gram(); !started) {
        return error_of(started);
      }
    }
  }
  return gram_->add(reader);
}

Result<TableOrGram> TableOrGramAccumulator::finish() {
  if (gram_) {
    return gram_->finish().map([](ExactGram&& gram) { return TableOrGram(std::move(gram)); });
  }
  BoundedTable table(schema_, bound_);
  table.add(kept_.values.data(), kept_.rows);
  kept_ = {};
  return TableOrGram(std::move(table));
}

Result<TableOrGram> read_table_or_gram(RowReader& reader, const RowBound& bound, int threads) {
  TableOrGramAccumulator accumulator(reader.schema(), bound, threads);
  return accumulator.add(reader).and_then([&] { return accumulator.finish(); });
}

}  // namespace eigenveil
