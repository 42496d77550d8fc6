#pragma once

#include <filesystem>
#include <string>

#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// The guarantee of a written release in words, after checking the checksum of the document and of
/// every array beside it. A file that was changed is an error. `release` is the document or its
/// directory.
Result<std::string> explain_release(const std::filesystem::path& release);

}  // namespace eigenveil
