#pragma once

#include <memory>
#include <optional>
#include <string>

#include "data/byte_source.hpp"
#include "data/open.hpp"

namespace eigenveil::detail {

/// Opens an IDX array (the format of MNIST): the first dimension counts rows, the others together
/// are the columns. `size` is that of the uncompressed file, when known; `path` is for messages.
Result<std::unique_ptr<RowReader>> open_idx(std::unique_ptr<ByteSource> source,
                                            const std::string& path,
                                            std::optional<std::size_t> size,
                                            const ReadOptions& options);

}  // namespace eigenveil::detail
