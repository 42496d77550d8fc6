#include "data/rank_transform.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "data/array_rows.hpp"

namespace eigenveil {

std::vector<double> centred_ranks(std::span<const double> column) {
  std::vector<double> sorted;
  sorted.reserve(column.size());
  std::copy_if(column.begin(), column.end(), std::back_inserter(sorted),
               [](double value) { return !std::isnan(value); });
  std::sort(sorted.begin(), sorted.end());
  const auto count = static_cast<std::int64_t>(sorted.size());
  std::vector<double> ranks(column.size(), 0.0);
  if (count < 2) {
    return ranks;
  }
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (std::isnan(column[i])) {
      continue;
    }
    // Ranks below+1 .. upto share their mean: twice it is below + upto + 1.
    const auto [from, to] = std::equal_range(sorted.begin(), sorted.end(), column[i]);
    const std::int64_t twice_rank = (from - sorted.begin()) + (to - sorted.begin()) + 1;
    ranks[i] = static_cast<double>(twice_rank - (count + 1)) / static_cast<double>(count - 1);
  }
  return ranks;
}

Result<RawRows> rank_transform(RowReader& reader) {
  RawRows table;
  table.dimension = reader.schema().dimension();
  for (RawRows block;;) {
    if (const Result<void> read = reader.read(block); !read) {
      return error_of(read);
    }
    if (block.rows == 0) {
      break;
    }
    table.values.insert(table.values.end(), block.values.begin(), block.values.end());
    table.rows += block.rows;
  }
  std::vector<double> column(table.rows);
  for (std::size_t j = 0; j < table.dimension; ++j) {
    for (std::size_t i = 0; i < table.rows; ++i) {
      column[i] = table.values[i * table.dimension + j];
    }
    const std::vector<double> ranks = centred_ranks(column);
    for (std::size_t i = 0; i < table.rows; ++i) {
      table.values[i * table.dimension + j] = ranks[i];
    }
  }
  return table;
}

namespace {

class RankedReader final : public RowReader {
 public:
  explicit RankedReader(std::unique_ptr<RowReader> table)
      : table_(std::move(table)), schema_(table_->schema()) {}

  const Schema& schema() const override { return schema_; }
  std::optional<double> progress() const override { return table_->progress(); }

  Result<bool> next_chunk(RawChunk& chunk) override {
    if (!rows_) {
      Result<RawRows> read = rank_transform(*table_);
      if (!read) {
        return error_of(read);
      }
      ranks_ = std::move(*read);
      const ArrayView view{ranks_.values.data(), ranks_.rows, ranks_.dimension,
                           ranks_.dimension * sizeof(double), sizeof(double)};
      rows_ = *read_array(view, schema_, BadCell::Midpoint, MissingCell::Midpoint);
    }
    return rows_->next_chunk(chunk);
  }
  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    return rows_->parse(chunk, block);
  }

 private:
  std::unique_ptr<RowReader> table_;
  Schema schema_;
  RawRows ranks_;
  std::unique_ptr<RowReader> rows_;
};

}  // namespace

std::unique_ptr<RowReader> ranked(std::unique_ptr<RowReader> table) {
  return std::make_unique<RankedReader>(std::move(table));
}

}  // namespace eigenveil
