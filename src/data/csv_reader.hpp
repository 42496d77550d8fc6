#pragma once

#include <memory>
#include <string>

#include "byte_source.hpp"
#include "eigenveil/data/open.hpp"

namespace eigenveil::detail {

/// Opens a delimited text table; the rules are those of open_rows.
Result<std::unique_ptr<RowReader>> open_delimited(std::unique_ptr<ByteSource> source,
                                                  char delimiter, const ReadOptions& options);

}  // namespace eigenveil::detail
