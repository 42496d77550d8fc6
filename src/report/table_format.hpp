#pragma once

#include <string>
#include <string_view>

#include "eigenveil/report/document.hpp"

namespace eigenveil {

/// CSV with a header and row names; numbers in the shortest form that reads back to the same
/// double.
std::string table_csv(const ReleasedTable& table);

/// NPY version 1, float64, column-major; names of rows and columns are in release.json.
std::string table_npy(const ReleasedTable& table);

/// Reads either form back: `table` has all its names, and gets `values` of the given shape (and its
/// `corner`, from CSV). False unless the bytes are what the writer makes of such a table.
bool parse_table(ReleasedTable& table, std::string_view bytes, Eigen::Index rows,
                 Eigen::Index columns);

/// A CSV field, quoted where RFC 4180 needs it.
std::string csv_field(const std::string& text);

}  // namespace eigenveil
