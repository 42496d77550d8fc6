#pragma once

#include <string>

#include "cli/outcome.hpp"
#include "eigenveil/engine/request.hpp"

namespace eigenveil::cli {

/// `plan pca --compare`: every method's predicted error, with a recommendation.
Outcome print_comparison(const Request& request, const AssumedTable& table,
                         const std::string& figure_folder, bool json);

}  // namespace eigenveil::cli
