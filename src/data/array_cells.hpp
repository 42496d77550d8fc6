#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil::detail {

enum class NumberKind : std::uint8_t { Float, Signed, Unsigned, Boolean };

/// How one number of an array file is stored.
struct CellType {
  NumberKind kind = NumberKind::Float;
  std::size_t item_bytes = 8;
  bool big_endian = false;
};

/// Where the cells of a chunk lie: cell (row, column) starts at row * row_stride + column *
/// column_stride.
struct ChunkLayout {
  std::size_t row_stride = 0;
  std::size_t column_stride = 0;
};

/// Turns the cells of the given file columns into row-major doubles; `block` has its size already.
using CellConverter = void (*)(const char* bytes, const ChunkLayout& layout,
                               const std::vector<std::size_t>& columns, RawRows& block);
CellConverter pick_converter(const CellType& type);

/// Settles every cell that is no finite number: NaN is missing, an infinity is a bad cell.
Result<void> settle_cells(const RawChunk& chunk, const Schema& schema, BadCell bad_cell,
                          MissingCell missing_cell, RawRows& block);

}  // namespace eigenveil::detail
