#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace eigenveil {

/// The JSON library recurses when it copies, compares and writes; what this program reads is a few
/// levels deep, and a text of more than 64 is refused before anything is made of it.
bool nests_too_deep(std::string_view text);

/// Whether an object of the text has a field twice: readers differ in which of them they take, so
/// that two people would read two documents.
bool repeats_a_field(std::string_view text);

/// JSON that somebody else wrote. A discarded value where it is none, nests too deep or repeats a
/// field: that is no object and no array, and its `at` throws as a missing field does.
template <class Json = nlohmann::ordered_json>
Json json_from_outside(std::string_view text) {
  return nests_too_deep(text) || repeats_a_field(text) ? Json(Json::value_t::discarded)
                                                       : Json::parse(text, nullptr, false);
}

/// A whole number within limits, or nothing: the JSON library turns 2.9 into 2 and wraps what does
/// not fit, so that a number too large to protect would protect one row.
template <class Json>
std::optional<std::int64_t> whole_number(const Json& json, std::int64_t least, std::int64_t most) {
  if (!json.is_number()) {
    return std::nullopt;
  }
  const auto number = json.template get<double>();
  if (!(number >= static_cast<double>(least) && number <= static_cast<double>(most)) ||
      number != std::floor(number) || std::fabs(number) > 9007199254740992.0) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(number);
}

}  // namespace eigenveil
