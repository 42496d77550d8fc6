#pragma once

#include <string>

#include "cli/outcome.hpp"
#include "mechanism/spiked/spiked.hpp"

namespace eigenveil::cli {

/// Whether the data fit the model the noise was scaled to: exact eigenvalues against the rank,
/// sigma², lambda and spread that the release used. PRIVATE, for the curator alone; a file of its
/// own, mode 0600, never part of a release.
Outcome write_spiked_diagnostic(const std::string& path, const SampleCovariance& sample,
                                const SpikedResult& result, double spread);

}  // namespace eigenveil::cli
