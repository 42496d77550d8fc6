#pragma once

#include <string>

#include "cli/outcome.hpp"
#include "collection/study.hpp"

namespace eigenveil::cli {

Command study_command();          ///< keys, issuer, new, open, tokens, form, close, merge
Command collect_serve_command();  ///< an aggregator

Result<std::string> read_whole_file(const std::string& path);

}  // namespace eigenveil::cli
