#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collection/report_message.hpp"
#include "ledger/signing_key.hpp"

namespace eigenveil {

/// Tokens for people: 128 bits each, drawn. Whoever holds one can send one report, and who got it
/// is known to whoever hands them out, not to the aggregators.
std::vector<Token> draw_tokens(std::size_t count);

/// What aggregators get: hashes, signed by the collector for one study, so that a leaked list lets
/// nobody in. Sorted, so that it does not tell the order in which tokens were handed out.
std::string token_list(const Study& study, const std::vector<Token>& tokens,
                       const SigningKey& collector);
Result<std::vector<Digest>> read_token_list(const Study& study, std::string_view text);

}  // namespace eigenveil
