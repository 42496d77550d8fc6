#pragma once

#include <filesystem>
#include <string>

#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// All bytes of a regular file: a device or a pipe might never end, and a folder has none.
Result<std::string> read_whole_file(const std::filesystem::path& path);

}  // namespace eigenveil
