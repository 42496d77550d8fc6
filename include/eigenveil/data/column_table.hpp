#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace eigenveil {

/// Whole numbers, one of which says that a cell is missing.
struct WholeCells {
  std::span<const std::int32_t> values;
  std::int32_t missing = INT32_MIN;
  double number(std::size_t row) const {
    return values[row] == missing ? std::numeric_limits<double>::quiet_NaN() : values[row];
  }
};

/// Words as places in a list, from 1; any other place is a missing cell. Where a request lists the
/// words of a column, that public list decides what they count as, and a column of people holds
/// names; elsewhere they must be numbers.
struct WordCells {
  std::span<const std::int32_t> places;
  std::vector<std::string> words;
  /// Of a row, from 0; the number of words where it is missing.
  std::size_t place(std::size_t row) const {
    const std::int64_t given = places[row];
    const auto last = static_cast<std::int64_t>(words.size());
    return static_cast<std::size_t>(given >= 1 && given <= last ? given - 1 : last);
  }
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
