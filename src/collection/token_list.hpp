#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collection/report_message.hpp"
#include "ledger/signing_key.hpp"

namespace eigenveil {

/// Codes for people: 128 bits each, drawn. Whoever holds one can send one report, and who got it
/// is known to whoever hands them out, not to the aggregators.
std::vector<InvitationCode> draw_codes(std::size_t count);

/// What aggregators get: hashes of the tokens for either role, signed by the issuer for one
/// study, so that a leaked list lets nobody in. Sorted, so that it tells neither the order in which
/// codes were handed out nor which two tokens are of one code.
std::string token_list(const Study& study, const std::vector<InvitationCode>& codes,
                       const SigningKey& issuer);
/// The hashes for one role.
Result<std::vector<Digest>> read_token_list(const Study& study, Role role, std::string_view text);

}  // namespace eigenveil
