#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "eigenveil/core/existing.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/report/document.hpp"

namespace eigenveil {

/// Of the documents that are written; `read_release` reads this one and those before.
constexpr int kReleaseFormat = 2;

enum class TableFormat : std::uint8_t { Csv, Npy };

/// The files of a release: `release.json`, its arrays and `report.html`. Names carry `.NOT-PRIVATE`
/// when the release is not private.
struct ReleaseFile {
  std::string name;
  std::string bytes;
};
std::vector<ReleaseFile> release_files(const ReleaseDocument& document, TableFormat format);

/// Writes all files into `directory`, which appears complete or not at all.
Result<std::vector<std::string>> write_release(const ReleaseDocument& document, TableFormat format,
                                               const std::filesystem::path& directory,
                                               Existing existing = Existing::Refuse);

/// The document as JSON for machines (`--json`), tables inline.
std::string summary_json(const ReleaseDocument& document);

}  // namespace eigenveil
