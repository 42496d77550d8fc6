#pragma once

#include <cstddef>
#include <cstdint>

namespace eigenveil {

/// Totals of products of grid integers; wide enough that no supported row count can overflow it.
__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

/// Entries on and above the diagonal of a dimension x dimension matrix.
constexpr std::size_t triangle_size(std::size_t dimension) {
  return dimension * (dimension + 1) / 2;
}

/// Position of entry (row, column), row <= column, in a packed upper triangle stored column by
/// column.
constexpr std::size_t triangle_index(std::size_t row, std::size_t column) {
  return column * (column + 1) / 2 + row;
}

}  // namespace eigenveil
