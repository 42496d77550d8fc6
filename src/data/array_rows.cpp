#include "data/array_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "data/array_cells.hpp"
#include "eigenveil/data/matrix_view.hpp"

namespace eigenveil {
namespace {

// A block is converted and bounded by one worker: it should stay in that core's cache. The worker
// gathers as many rows as its matrix product wants.
constexpr std::size_t kBlockBytes = std::size_t{1} << 18U;

detail::NumberKind kind_of(ArrayView::Kind kind) {
  switch (kind) {
    case ArrayView::Kind::Float:
      return detail::NumberKind::Float;
    case ArrayView::Kind::Signed:
      return detail::NumberKind::Signed;
    case ArrayView::Kind::Unsigned:
      return detail::NumberKind::Unsigned;
    case ArrayView::Kind::Boolean:
      break;
  }
  return detail::NumberKind::Boolean;
}

bool is_supported(const ArrayView& array) {
  switch (array.kind) {
    case ArrayView::Kind::Float:
      return array.item_bytes == 4 || array.item_bytes == 8;
    case ArrayView::Kind::Boolean:
      return array.item_bytes == 1;
    default:
      return array.item_bytes == 1 || array.item_bytes == 2 || array.item_bytes == 4 ||
             array.item_bytes == 8;
  }
}

class ArrayReader final : public RowReader {
 public:
  ArrayReader(const ArrayView& array, Schema schema, BadCell bad_cell, MissingCell missing)
      : array_(array),
        schema_(std::move(schema)),
        bad_cell_(bad_cell),
        missing_(missing),
        convert_(detail::pick_converter({kind_of(array.kind), array.item_bytes, false})) {
    const std::size_t row_bytes = std::max<std::size_t>(1, array.columns * sizeof(double));
    rows_per_chunk_ = std::max<std::size_t>(1, kBlockBytes / row_bytes);
    schema_.fills_gaps = fills_gaps(bad_cell, missing);
    for (std::size_t j = 0; j < array.columns; ++j) {
      columns_.push_back(j);
    }
  }

  const Schema& schema() const override { return schema_; }

  /// A chunk is only a range of rows; the cells stay where they are.
  Result<bool> next_chunk(RawChunk& chunk) override {
    const std::size_t done = rows_done_.load(std::memory_order_relaxed);
    chunk.sequence = sequence_;
    chunk.first_record = done + 1;
    chunk.records = std::min(rows_per_chunk_, array_.rows - done);
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
    block.dimension = array_.columns;
    block.values.resize(block.rows * block.dimension);
    const char* first =
        static_cast<const char*>(array_.data) + (chunk.first_record - 1) * array_.row_stride;
    if (is_row_major_doubles()) {
      std::memcpy(block.values.data(), first, block.values.size() * sizeof(double));
    } else {
      convert_(first, {array_.row_stride, array_.column_stride}, columns_, block);
    }
    if (array_.kind != ArrayView::Kind::Float) {
      return {};
    }
    return detail::settle_cells(chunk, schema_, bad_cell_, missing_, block);
  }

  std::optional<double> progress() const override {
    return array_.rows == 0 ? 1.0
                            : static_cast<double>(rows_done_.load(std::memory_order_relaxed)) /
                                  static_cast<double>(array_.rows);
  }

 private:
  bool is_row_major_doubles() const {
    return array_.kind == ArrayView::Kind::Float && array_.item_bytes == sizeof(double) &&
           array_.column_stride == sizeof(double) &&
           array_.row_stride == array_.columns * sizeof(double);
  }

  ArrayView array_;
  Schema schema_;
  BadCell bad_cell_;
  MissingCell missing_;
  detail::CellConverter convert_;
  std::vector<std::size_t> columns_;
  std::size_t rows_per_chunk_ = 1;
  std::uint64_t sequence_ = 0;
  std::atomic<std::size_t> rows_done_ = 0;
};

}  // namespace

Result<std::unique_ptr<RowReader>> read_array(const ArrayView& array, Schema schema,
                                              BadCell bad_cell, MissingCell missing) {
  if (!is_supported(array)) {
    return bad_request("an array must hold float32, float64, integers or truth values");
  }
  if (array.columns != schema.dimension() || array.columns == 0) {
    return bad_request(fmt::format("the array has {} columns, but {} were expected", array.columns,
                                   schema.dimension()),
                       "columns");
  }
  return std::make_unique<ArrayReader>(array, std::move(schema), bad_cell, missing);
}

Result<std::unique_ptr<RowReader>> read_matrix(const MatrixView& matrix, Schema schema,
                                               BadCell bad_cell, MissingCell missing) {
  if (matrix.row_stride() < 0 || matrix.column_stride() < 0) {
    return bad_request("a matrix must not be read backwards: its strides must not be negative");
  }
  const auto bytes = [](std::ptrdiff_t stride) {
    return static_cast<std::size_t>(stride) * sizeof(double);
  };
  return read_array({matrix.data(), matrix.rows(), matrix.columns(), bytes(matrix.row_stride()),
                     bytes(matrix.column_stride())},
                    std::move(schema), bad_cell, missing);
}

}  // namespace eigenveil
