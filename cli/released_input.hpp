#pragma once

#include <string>
#include <vector>

#include "eigenveil/core/result.hpp"
#include "eigenveil/mechanism/released_gram.hpp"

namespace eigenveil::cli {

/// Reads what a release gives away about second moments: masked or Gaussian pseudo-data, a factor,
/// or a covariance by method gauss. `path` names the release document, its directory, or the
/// pseudo-data file; checksums are verified.
Result<ReleasedGram> read_released_gram(const std::string& path);

/// Shards with the same noise on every cell are one table, as `mask --blocks` writes it.
Result<ReleasedGram> read_released_grams(const std::vector<std::string>& paths);

}  // namespace eigenveil::cli
