#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace eigenveil::cli {

/// Help with the options people need first; commands with few options show all of them. The rest is
/// under --help-all.
std::string short_help(CLI::App& command, const std::string& typed);

}  // namespace eigenveil::cli
