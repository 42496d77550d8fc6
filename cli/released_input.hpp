#pragma once

#include <string>

#include "eigenveil/core/result.hpp"
#include "eigenveil/mechanism/released_gram.hpp"

namespace eigenveil::cli {

/// Reads what a release gives away about second moments: masked or Gaussian pseudo-data, a factor,
/// or a covariance by method gauss. `path` names the release document, its directory, or the
/// pseudo-data file; checksums are verified.
Result<ReleasedGram> read_released_gram(const std::string& path);

}  // namespace eigenveil::cli
