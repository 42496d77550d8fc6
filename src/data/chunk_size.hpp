#pragma once

#include <algorithm>
#include <cstddef>

namespace eigenveil::detail {

/// No chunk of a reader is larger unless one row is.
inline constexpr std::size_t kLargestChunk = std::size_t{16} << 20;

/// How many rows of `row_bytes` a chunk takes: as many as asked for (`chunk_bytes`), else about two
/// megabytes, and of wide tables 512 rows: long reads of a column, useful products. At least one.
inline std::size_t rows_in_chunk(std::size_t row_bytes, std::size_t chunk_bytes) {
  constexpr std::size_t kUsualChunk = std::size_t{2} << 20;
  constexpr std::size_t kRowsOfAWideTable = 512;
  const std::size_t usual =
      std::max(kUsualChunk / row_bytes, std::min(kRowsOfAWideTable, kLargestChunk / row_bytes));
  return std::max<std::size_t>(chunk_bytes > 0 ? chunk_bytes / row_bytes : usual, 1);
}

}  // namespace eigenveil::detail
