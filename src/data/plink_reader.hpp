#pragma once

#include <memory>

#include "data/byte_source.hpp"
#include "data/open.hpp"

namespace eigenveil::detail {

/// Opens genotypes in PLINK 1 binary form: `file` is the .bed, beside it lie .bim and .fam. People
/// are rows; the rules are those of open_rows and docs/formats.md.
Result<std::unique_ptr<RowReader>> open_plink(FileDescriptor file, const ReadOptions& options);

}  // namespace eigenveil::detail
