#pragma once

#include <memory>
#include <string>

#include "data/byte_source.hpp"
#include "data/open.hpp"

namespace eigenveil::detail {

/// Opens a delimited text table; the rules are those of open_rows.
Result<std::unique_ptr<RowReader>> open_delimited(std::unique_ptr<ByteSource> source,
                                                  char delimiter, const ReadOptions& options);

}  // namespace eigenveil::detail
