#pragma once

#include <string>

#include "cli/outcome.hpp"
#include "collection/study.hpp"
#include "serve/http_client.hpp"

namespace eigenveil::cli {

Command study_command();          ///< keys, issuer, new, open, tokens, form, close, merge
Command collect_serve_command();  ///< an aggregator

Result<std::string> read_whole_file(const std::string& path);
/// What an aggregator said when it did not do what was asked; an error of the user's if it says so.
Error refusal(const AggregatorCard& card, const HttpAnswer& answer);

}  // namespace eigenveil::cli
