#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil {

/// A table of numbers somewhere in memory: cell (i, j) starts at data + i * row_stride + j *
/// column_stride, strides in bytes. Both orders, and every view with non-negative strides.
struct ArrayView {
  enum class Kind : std::uint8_t { Float, Signed, Unsigned, Boolean };
  const void* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t row_stride = 0;
  std::size_t column_stride = 0;
  Kind kind = Kind::Float;
  std::size_t item_bytes = 8;  ///< 4 or 8 for Float, 1, 2, 4, 8 for integers, 1 for Boolean
};

/// Reads a table in memory without copying it: cells are converted block by block as they are
/// consumed. The memory must outlive the reader. NaN is missing, an infinity is a bad cell.
Result<std::unique_ptr<RowReader>> read_array(const ArrayView& array, Schema schema,
                                              BadCell bad_cell, MissingCell missing);

}  // namespace eigenveil
