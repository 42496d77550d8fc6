#pragma once

#include <memory>

#include "data/byte_source.hpp"
#include "data/open.hpp"

namespace eigenveil::detail {

/// Opens a NumPy array file; the rules are those of open_rows. Reads with pread, so a file that
/// shrinks meanwhile is an error and not a crash.
Result<std::unique_ptr<RowReader>> open_npy(FileDescriptor file, const ReadOptions& options);

}  // namespace eigenveil::detail
