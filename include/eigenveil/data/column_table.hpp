#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace eigenveil {

/// Whole numbers, one of which says that a cell is missing.
struct WholeCells {
  std::span<const std::int32_t> values;
  std::int32_t missing = INT32_MIN;
};

/// Words as places in a list, from 1; any other place is a missing cell. Where a request lists the
/// words of a column, that public list decides what they count as; elsewhere they must be numbers.
struct WordCells {
  std::span<const std::int32_t> places;
  std::vector<std::string> words;
};

/// A column of a table that lies in memory by columns, as a data frame does. NaN is missing.
struct TableColumn {
  std::string name;
  std::variant<std::span<const double>, WholeCells, WordCells> cells;
};

/// Rows of such a table are gathered a block at a time while they are read. Refers to the memory,
/// which must outlive it; every column has `rows` cells.
struct ColumnTable {
  std::vector<TableColumn> columns;
  std::size_t rows = 0;
};

}  // namespace eigenveil
