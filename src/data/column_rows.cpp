#include "data/column_rows.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>
#include <utility>

#include "data/array_cells.hpp"
#include "data/cell_word.hpp"
#include "data/column_selection.hpp"
#include "data/people.hpp"
#include "data/text_cell.hpp"

namespace eigenveil {
namespace {

// As array_rows.cpp: a block is gathered and bounded by one worker, in that core's cache.
constexpr std::size_t kColumnBlockBytes = std::size_t{1} << 18U;
constexpr double kMissingCell = std::numeric_limits<double>::quiet_NaN();
constexpr double kBadCell = std::numeric_limits<double>::infinity();

/// A column that was selected, and what its cells count as.
class Gathered {
 public:
  Gathered(const TableColumn& column, const ReadOptions& options) : column_(&column) {
    const auto list =
        std::find_if(options.words.begin(), options.words.end(),
                     [&](const WordColumn& words) { return words.column == column.name; });
    if (list != options.words.end()) {
      list_ = PublicWords(list->words);
    }
    if (const auto* words = std::get_if<WordCells>(&column.cells)) {
      for (const std::string& word : words->words) {
        values_.push_back(value_of(word));
      }
      values_.push_back(kMissingCell);  // for places that are none
    }
  }

  /// `count` cells from row `first` on, each `stride` doubles after the one before.
  void gather(std::size_t first, std::size_t count, std::size_t stride, double* out) const {
    for (std::size_t i = first; i < first + count; ++i, out += stride) {
      *out = std::visit([&](const auto& cells) { return cell(cells, i); }, column_->cells);
    }
  }

 private:
  double value_of(const std::string& word) const {
    if (!list_.empty()) {
      return list_.code(word).value_or(kMissingCell);
    }
    const detail::Cell cell = detail::classify_cell(word);
    return cell.kind == detail::CellKind::Number    ? cell.value
           : cell.kind == detail::CellKind::Missing ? kMissingCell
                                                    : kBadCell;
  }
  double cell(const std::span<const double>& numbers, std::size_t row) const {
    return list_.empty() ? numbers[row] : list_.code(numbers[row]);
  }
  double cell(const WholeCells& whole, std::size_t row) const {
    const double value = whole.number(row);
    return list_.empty() ? value : list_.code(value);
  }
  double cell(const WordCells& words, std::size_t row) const { return values_[words.place(row)]; }

  const TableColumn* column_;
  PublicWords list_;
  std::vector<double> values_;  ///< of words, by place
};

/// The column that names people.
class GatheredPeople {
 public:
  GatheredPeople(const TableColumn& column, const HashKey& key) : column_(&column), key_(key) {
    if (const auto* words = std::get_if<WordCells>(&column.cells)) {
      hashes_.resize((words->words.size() + 1) * kHashedCells, kMissingCell);
      for (std::size_t i = 0; i < words->words.size(); ++i) {
        hash_person(key, words->words[i], hashes_.data() + i * kHashedCells);
      }
    }
  }

  void gather(std::size_t row, double* out) const {
    if (const auto* words = std::get_if<WordCells>(&column_->cells)) {
      std::copy_n(hashes_.data() + words->place(row) * kHashedCells, kHashedCells, out);
    } else if (const auto* whole = std::get_if<WholeCells>(&column_->cells)) {
      hash_person(key_, whole->number(row), out);
    } else {
      hash_person(key_, std::get<std::span<const double>>(column_->cells)[row], out);
    }
  }

 private:
  const TableColumn* column_;
  HashKey key_;
  std::vector<double> hashes_;  ///< of words, by place
};

class ColumnReader final : public RowReader {
 public:
  ColumnReader(const ColumnTable& table, const detail::ColumnSelection& selection,
               const ReadOptions& options)
      : rows_(table.rows), schema_(selection.schema), options_(options) {
    schema_.fills_gaps = fills_gaps(options.bad_cell, options.missing);
    for (const std::size_t source : selection.sources) {
      const TableColumn& column = table.columns[source];
      columns_.emplace_back(column, options);
    }
    const auto named =
        std::find_if(table.columns.begin(), table.columns.end(),
                     [&](const TableColumn& column) { return column.name == options.person; });
    if (!options.person.empty()) {  // there is one: it was selected
      people_.emplace(*named, options.person_key);
      const std::vector<std::string> cells = hashed_names(options.person);
      schema_.columns.insert(schema_.columns.end(), cells.begin(), cells.end());
    }
    const std::size_t bytes =
        options.chunk_bytes > 0 ? options.chunk_bytes : std::size_t{kColumnBlockBytes};
    rows_per_chunk_ = std::max<std::size_t>(1, bytes / (schema_.dimension() * sizeof(double)));
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
    block.dimension = schema_.dimension();
    block.values.resize(block.rows * block.dimension);
    // Small groups of rows keep both sides in cache.
    constexpr std::size_t kGroup = 64;
    for (std::size_t first = 0; first < block.rows; first += kGroup) {
      const std::size_t count = std::min(kGroup, block.rows - first);
      double* out = block.values.data() + first * block.dimension;
      for (const Gathered& column : columns_) {
        column.gather(chunk.first_record - 1 + first, count, block.dimension, out++);
      }
      for (std::size_t i = 0; people_ && i < count; ++i) {
        people_->gather(chunk.first_record - 1 + first + i, out + i * block.dimension);
      }
    }
    return detail::settle_cells(chunk, schema_, options_.bad_cell, options_.missing, block);
  }

  std::optional<double> progress() const override {
    return rows_ == 0 ? 1.0
                      : static_cast<double>(rows_done_.load(std::memory_order_relaxed)) /
                            static_cast<double>(rows_);
  }
  std::optional<std::int64_t> stated_rows() const override {
    return static_cast<std::int64_t>(rows_);
  }

 private:
  std::size_t rows_;
  Schema schema_;
  ReadOptions options_;
  std::vector<Gathered> columns_;
  std::optional<GatheredPeople> people_;
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
