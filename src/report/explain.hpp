#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// The guarantee of a written release in words, after checking the checksum of the document and of
/// every array beside it. A file that was changed is an error. `release` is the document or its
/// directory.
Result<std::string> explain_release(const std::filesystem::path& release);

/// Several releases of one table, each checked as above, and what they cost together: sequential
/// composition, with budgets fixed beforehand. Refused where nothing can be added up: different
/// relations, groups of different size, one release named twice, or one that is not private.
Result<std::string> explain_releases(const std::vector<std::filesystem::path>& releases);

}  // namespace eigenveil
