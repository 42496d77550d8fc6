#pragma once

#include <string>

#include "cli/outcome.hpp"
#include "eigenveil/mechanism/spiked.hpp"

namespace eigenveil::cli {

/// Whether the data look spiked: sample eigenvalues against the edge of the bulk. PRIVATE, for the
/// curator alone; a file of its own, mode 0600, never part of a release.
Outcome write_spiked_diagnostic(const std::string& path, const SampleCovariance& sample,
                                Eigen::Index rank);

}  // namespace eigenveil::cli
