#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
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

/// Called when every file is on the disk under a hidden name, with the bytes of the document: a
/// refusal means that nothing appears. A ledger settles here.
using BeforePublish = std::function<Result<void>(std::string_view document)>;

/// Where a release goes.
struct ReleaseTarget {
  std::filesystem::path folder;
  TableFormat tables = TableFormat::Csv;
  Existing existing = Existing::Refuse;  ///< a release in the folder
  int threads = 1;                       ///< for arrays that are made while they are written
  /// The one array of a release that streams goes to a file of this stem in `folder`, and the
  /// release beside it; empty: `folder` is the release.
  std::string stem = {};
  ArrayFormat arrays = ArrayFormat::Csv;
  BeforePublish before = {};  ///< directories alone

  bool is_file() const { return !stem.empty(); }
  /// Names of the files beside the array, and its own; `tables` as a plan knows them.
  std::vector<std::string> names_beside(const std::vector<std::string>& table_names,
                                        bool is_private) const;
};

/// By the ending of `out`: a file of the array (.csv, .csv.gz, .npy), or a directory whose arrays
/// have the form `tables`.
ReleaseTarget file_or_directory(const std::string& out, TableFormat tables);

struct WrittenRelease {
  ReleaseDocument document;  ///< with its streamed arrays
  std::vector<std::filesystem::path> files;
};

/// Writes all files, whole or not at all.
[[nodiscard]] Result<WrittenRelease> write_release(ReleaseDocument document,
                                                   const ReleaseTarget& target);

/// The same into a directory, for releases that do not stream.
[[nodiscard]] Result<std::vector<std::string>> write_release(const ReleaseDocument& document,
                                                             TableFormat format,
                                                             const std::filesystem::path& directory,
                                                             Existing existing = Existing::Refuse);

/// The document as JSON for machines (`--json`), tables inline.
std::string summary_json(const ReleaseDocument& document);

}  // namespace eigenveil
