#pragma once

#include <string>

#include "cli/explore/question.hpp"

namespace eigenveil::cli {

/// Screen 3 as one file that asks nobody: a grid of plans, computed now. `question` is what the
/// page would send.
Result<std::string> exported_page(const std::string& question, const ExploreSource& source);

}  // namespace eigenveil::cli
