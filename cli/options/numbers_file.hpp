#pragma once

#include <string>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/core/result.hpp"

namespace eigenveil::cli {

/// Finite numbers, one per line, in the order of the file.
Result<Vector> read_numbers(const std::string& path);

/// Finite, non-negative eigenvalues, one per line, largest first in the result.
Result<Vector> read_spectrum(const std::string& path);

}  // namespace eigenveil::cli
