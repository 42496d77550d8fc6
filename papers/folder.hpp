#pragma once

#include <filesystem>

#include "papers/entry.hpp"

namespace eigenveil::papers {

/// What was written, for the summary.
struct WrittenFolder {
  std::filesystem::path path;
  std::string png_missing;  ///< why there are no PNG files; empty when there are
};

/// Tables (CSV), figures (SVG, PNG, CSV), parameters.json and index.html, the page last. Files of
/// an earlier run are replaced one by one; nothing else in the folder is touched. No times and no
/// paths are written, so equal runs give equal files.
Result<WrittenFolder> write_entry_folder(const Entry& entry, Effort effort,
                                         const Reproduction& result,
                                         const std::filesystem::path& folder);

}  // namespace eigenveil::papers
