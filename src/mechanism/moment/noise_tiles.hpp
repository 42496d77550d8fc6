#pragma once

#include <cmath>
#include <cstddef>

#include "eigenveil/core/integers.hpp"

namespace eigenveil {

/// A statistic with no more entries than this draws its noise from one stream, one entry after the
/// other: count, sums, packed triangle.
inline constexpr std::size_t kEntriesOfOneStream = std::size_t{1} << 16U;

/// The noise of a larger one: stream 0 of a fresh family draws what stands beside the matrix, and
/// stream 1 + i the i-th square tile of its upper triangle. So every tile can be drawn by itself,
/// by any thread, and again. In a tile (and beside the matrix) entries of the diagonal come first,
/// then the others, each in the order of the columns.
struct NoiseTile {
  std::size_t first_row = 0;
  std::size_t rows = 0;
  std::size_t first_column = 0;
  std::size_t columns = 0;
  bool on_diagonal() const { return first_row == first_column; }
};

inline constexpr std::size_t kNoiseTileSide = 256;

inline std::size_t noise_tiles(std::size_t dimension) {
  return triangle_size((dimension + kNoiseTileSide - 1) / kNoiseTileSide);
}

/// Column of the packed upper triangle that a position lies in.
inline std::size_t triangle_column(std::size_t position) {
  // Column c starts at c (c + 1) / 2; the root may be off by one.
  auto column =
      static_cast<std::size_t>((std::sqrt(8.0 * static_cast<double>(position) + 1.0) - 1.0) / 2.0);
  while (triangle_index(0, column) > position) {
    --column;
  }
  while (triangle_index(0, column + 1) <= position) {
    ++column;
  }
  return column;
}

inline NoiseTile noise_tile(std::size_t dimension, std::size_t index) {
  const std::size_t column = triangle_column(index);
  const std::size_t row = index - triangle_index(0, column);
  const auto length = [&](std::size_t block) {
    const std::size_t left = dimension - block * kNoiseTileSide;
    return left < kNoiseTileSide ? left : kNoiseTileSide;
  };
  return {row * kNoiseTileSide, length(row), column * kNoiseTileSide, length(column)};
}

}  // namespace eigenveil
