#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "collection/study.hpp"
#include "ledger/signing_key.hpp"

namespace eigenveil::detail {

using Json = nlohmann::ordered_json;

/// A JSON message with an Ed25519 signature over its text and its kind, so that no message can be
/// taken for one of another kind.
std::string signed_message(const SigningKey& key, std::string_view kind, const Json& message);

/// The message inside, if it is of this kind, of this study, and signed with `public_key`.
Result<Json> verified_message(std::string_view text, std::string_view kind, const Study& study,
                              const std::string& public_key);

/// Runs what reads fields of JSON nobody vouches for.
template <class T, class Read>
Result<T> reading_fields(const char* complaint, const Read& read) {
  try {
    return read();
  } catch (const Json::exception&) {
    return bad_request(complaint);
  }
}

}  // namespace eigenveil::detail
