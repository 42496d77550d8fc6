#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/open.hpp"

namespace eigenveil {

/// Labels of rows in a text file beside a table of numbers alone. Where the file has one column, or
/// the table no names of people, line i is of row i; otherwise its first column names people as the
/// .fam file of genotypes does. All of it is private but the header and the public `words`.
struct LabelFile {
  std::string path;
  ReadOptions format = {};
  WordColumn label = {};
};

/// `table` (the rows of the array or genotypes `input`) with the level of every row as a last
/// column: 1, 2, ... of the words, 0 or missing for any other row. A row's level depends on its
/// own line alone; a person with two lines is refused, and lines that are not as many as rows; with
/// BadCell::Midpoint the first line of a person counts, and a row without a line is any other. Of
/// the file no more than its header is read before the first row of the table is.
Result<std::unique_ptr<RowReader>> label_rows(std::unique_ptr<RowReader> table,
                                              const std::string& input, const LabelFile& file);

}  // namespace eigenveil
