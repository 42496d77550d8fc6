#pragma once

#include "cli/options/output_options.hpp"
#include "cli/outcome.hpp"
#include "eigenveil/report/document.hpp"

namespace eigenveil::cli {

/// Writes the release to --out, then prints it (--json) or its summary in words.
Outcome publish_subspace(const ReleaseDocument& document, const OutputOptions& output,
                         const std::string& input);

}  // namespace eigenveil::cli
