#pragma once

#include <memory>

#include "data/open.hpp"
#include "eigenveil/data/column_table.hpp"

namespace eigenveil {

/// Reads a table in memory as `open_rows` reads a file: the same selection by name, the same rules
/// for cells. Every block is gathered from the columns when it is wanted, so that no more than the
/// blocks in use are copied. `table` must outlive the reader.
Result<std::unique_ptr<RowReader>> read_columns(const ColumnTable& table,
                                                const ReadOptions& options);

}  // namespace eigenveil
