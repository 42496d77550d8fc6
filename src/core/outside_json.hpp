#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace eigenveil {

/// The JSON library recurses when it copies, compares and writes; what this program reads is a few
/// levels deep, and a text of more than 64 is refused before anything is made of it.
bool nests_too_deep(std::string_view text);

/// JSON that somebody else wrote. A discarded value where it is none or nests too deep: that is no
/// object and no array, and its `at` throws as a missing field does.
template <class Json = nlohmann::ordered_json>
Json json_from_outside(std::string_view text) {
  return nests_too_deep(text) ? Json(Json::value_t::discarded) : Json::parse(text, nullptr, false);
}

}  // namespace eigenveil
