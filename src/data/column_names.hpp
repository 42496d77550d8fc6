#pragma once

#include "eigenveil/core/result.hpp"
#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil {

/// Names that a file, a document and a message can hold: every one a line of plain UTF-8 text, none
/// empty, none twice. Readers say the same of their own files in better words; whatever comes from
/// memory is asked here, before a row is read or a budget spent.
[[nodiscard]] Result<void> check_names(const Schema& schema);

}  // namespace eigenveil
