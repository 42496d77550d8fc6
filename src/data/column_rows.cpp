#include "data/column_rows.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

#include "data/array_cells.hpp"
#include "data/column_selection.hpp"
#include "data/text_cell.hpp"

namespace eigenveil {
namespace {

// As array_rows.cpp: a block is gathered and bounded by one worker, in that core's cache.
constexpr std::size_t kColumnBlockBytes = std::size_t{1} << 18U;
constexpr double kMissingCell = std::numeric_limits<double>::quiet_NaN();
constexpr double kBadCell = std::numeric_limits<double>::infinity();

/// What the words of a column count as, by place; the last entry is for places that are none.
std::vector<double> values_of(const TableColumn& column, const ReadOptions& options) {
  const auto* cells = std::get_if<WordCells>(&column.cells);
  if (cells == nullptr) {
    return {};
  }
  const auto list =
      std::find_if(options.words.begin(), options.words.end(),
                   [&](const WordColumn& words) { return words.column == column.name; });
  std::vector<double> values;
  for (const std::string& word : cells->words) {
    const detail::Cell cell = detail::classify_cell(word);
    if (cell.kind == detail::CellKind::Missing) {
      values.push_back(kMissingCell);
    } else if (list != options.words.end()) {
      const auto found = std::find(list->words.begin(), list->words.end(), word);
      values.push_back(found == list->words.end()
                           ? 0.0
                           : static_cast<double>(found - list->words.begin()) + 1.0);
    } else {
      values.push_back(cell.kind == detail::CellKind::Number ? cell.value : kBadCell);
    }
  }
  values.push_back(kMissingCell);
  return values;
}

/// A column that was selected, with what its words count as.
struct Gathered {
  const TableColumn* column;
  std::vector<double> values;

  /// `count` cells from row `first` on, each `stride` doubles after the one before.
  void gather(std::size_t first, std::size_t count, std::size_t stride, double* out) const {
    if (const auto* numbers = std::get_if<std::span<const double>>(&column->cells)) {
      for (std::size_t i = 0; i < count; ++i, out += stride) {
        *out = (*numbers)[first + i];
      }
    } else if (const auto* whole = std::get_if<WholeCells>(&column->cells)) {
      for (std::size_t i = 0; i < count; ++i, out += stride) {
        const std::int32_t value = whole->values[first + i];
        *out = value == whole->missing ? kMissingCell : static_cast<double>(value);
      }
    } else {
      const std::span<const std::int32_t> places = std::get<WordCells>(column->cells).places;
      for (std::size_t i = 0; i < count; ++i, out += stride) {
        const std::int64_t place = places[first + i];
        const auto last = static_cast<std::int64_t>(values.size()) - 1;
        *out = values[static_cast<std::size_t>(place >= 1 && place <= last ? place - 1 : last)];
      }
    }
  }
};

class ColumnReader final : public RowReader {
 public:
  ColumnReader(const ColumnTable& table, const detail::ColumnSelection& selection,
               const ReadOptions& options)
      : rows_(table.rows), schema_(selection.schema), options_(options) {
    schema_.fills_gaps = fills_gaps(options.bad_cell, options.missing);
    for (const std::size_t source : selection.sources) {
      const TableColumn& column = table.columns[source];
      columns_.push_back({&column, values_of(column, options)});
    }
    const std::size_t bytes =
        options.chunk_bytes > 0 ? options.chunk_bytes : std::size_t{kColumnBlockBytes};
    rows_per_chunk_ = std::max<std::size_t>(1, bytes / (columns_.size() * sizeof(double)));
  }

  const Schema& schema() const override { return schema_; }

  Result<bool> next_chunk(RawChunk& chunk) override {
    const std::size_t done = rows_done_.load(std::memory_order_relaxed);
    chunk.sequence = sequence_;
    chunk.first_record = done + 1;
    chunk.records = std::min(rows_per_chunk_, rows_ - done);
    chunk.size = 0;
    if (chunk.records == 0) {
      return false;
    }
    rows_done_.store(done + chunk.records, std::memory_order_relaxed);
    ++sequence_;
    return true;
  }

  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    block.rows = chunk.records;
    block.dimension = columns_.size();
    block.values.resize(block.rows * block.dimension);
    // Small groups of rows keep both sides in cache.
    constexpr std::size_t kGroup = 64;
    for (std::size_t first = 0; first < block.rows; first += kGroup) {
      const std::size_t count = std::min(kGroup, block.rows - first);
      double* out = block.values.data() + first * block.dimension;
      for (const Gathered& column : columns_) {
        column.gather(chunk.first_record - 1 + first, count, block.dimension, out++);
      }
    }
    return detail::settle_cells(chunk, schema_, options_.bad_cell, options_.missing, block);
  }

  std::optional<double> progress() const override {
    return rows_ == 0 ? 1.0
                      : static_cast<double>(rows_done_.load(std::memory_order_relaxed)) /
                            static_cast<double>(rows_);
  }

 private:
  std::size_t rows_;
  Schema schema_;
  ReadOptions options_;
  std::vector<Gathered> columns_;
  std::size_t rows_per_chunk_ = 1;
  std::uint64_t sequence_ = 0;
  std::atomic<std::size_t> rows_done_ = 0;
};

}  // namespace

Result<std::unique_ptr<RowReader>> read_columns(const ColumnTable& table,
                                                const ReadOptions& options) {
  std::vector<std::string> names;
  for (const TableColumn& column : table.columns) {
    const std::size_t cells = std::visit(
        [](const auto& kind) -> std::size_t {
          if constexpr (requires { kind.places; }) {
            return kind.places.size();
          } else if constexpr (requires { kind.values; }) {
            return kind.values.size();
          } else {
            return kind.size();
          }
        },
        column.cells);
    if (cells != table.rows) {
      return bad_request("the columns of a table must have one length");
    }
    names.push_back(column.name);
  }
  if (names.empty()) {
    return bad_request("the table has no columns");
  }
  return detail::select_columns(std::move(names), options)
      .map([&](const detail::ColumnSelection& selection) -> std::unique_ptr<RowReader> {
        return std::make_unique<ColumnReader>(table, selection, options);
      });
}

}  // namespace eigenveil
