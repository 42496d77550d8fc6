#pragma once

#include <filesystem>
#include <string>

#include "eigenveil/core/result.hpp"
#include "eigenveil/report/document.hpp"

namespace eigenveil {

/// A release as it was written: the checksum of the document and of every file it lists matched,
/// and its guarantee does not contradict its parameters.
struct ReadRelease {
  ReleaseDocument document;      ///< without what only the report or the terminal shows
  int format = 0;                ///< of the file: 1 or 2
  std::string version;           ///< of the program that wrote it
  std::string checksum;          ///< of the document
  std::filesystem::path folder;  ///< where its arrays lie
};

/// `path` names the document, its directory, or a file of pseudo-data with the document beside it.
/// Tables are read; arrays too large for memory stay where they are, in `document.streamed`.
[[nodiscard]] Result<ReadRelease> read_release(const std::filesystem::path& path);

/// The pair that was asked for where the stated loss really implies it, else the loss itself: what
/// a document says of itself is not repeated, anybody can write a sentence.
Guarantee stated_guarantee(const ReleaseDocument& document);

}  // namespace eigenveil
