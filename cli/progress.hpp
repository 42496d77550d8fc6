#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil::cli {

/// A reader that draws a progress bar on standard error while it is read, when that is a terminal.
std::unique_ptr<RowReader> with_progress(std::unique_ptr<RowReader> reader, std::string title,
                                         bool quiet);

}  // namespace eigenveil::cli
