#pragma once

#include <string>
#include <string_view>

#include "cli/outcome.hpp"
#include "collection/study.hpp"
#include "core/whole_file.hpp"
#include "serve/http_client.hpp"

namespace eigenveil::cli {

Command study_command();          ///< keys, issuer, new, open, tokens, form; then
Command study_close_command();    ///< its sums are fetched, and charged
Command study_merge_command();    ///< and become a release
Command collect_serve_command();  ///< an aggregator

/// Asks at a terminal; elsewhere refuses, saying which option answers instead.
Result<void> confirm(std::string_view question, std::string_view otherwise);
/// Whether an aggregator said itself that it did not do what was asked. Anything else (a proxy's
/// page, an answer that was cut) may hide that it did.
bool is_refusal(const HttpAnswer& answer);
/// What an aggregator said when it did not do what was asked; an error of the user's if it says so.
Error refusal(const AggregatorCard& card, const HttpAnswer& answer);

}  // namespace eigenveil::cli
