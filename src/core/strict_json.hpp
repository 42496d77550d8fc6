#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/outside_json.hpp"
#include "core/parameter_names.hpp"
#include "core/suggestion.hpp"
#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// One object of a document that somebody else wrote, read field by field. What is absent leaves
/// its target alone. The first thing that is wrong is kept as one sentence that names the
/// parameter; `finish` says it, or names a field that nobody asked for. Nothing is converted: the
/// JSON library would cut 2.9 to 2 and wrap what does not fit.
class StrictObject {
 public:
  using Json = nlohmann::ordered_json;

  /// `what` with its article: "a job".
  StrictObject(const Json& json, std::string what) : json_(json), what_(std::move(what)) {
    if (!json_.is_object()) {
      error_.message = fmt::format("{} must be a JSON object", what_);
    }
  }

  /// The field, for readers of its own; null where it is absent.
  const Json* find(const char* key) {
    asked_.emplace_back(key);
    const auto at = json_.is_object() ? json_.find(key) : json_.end();
    return at == json_.end() ? nullptr : &*at;
  }
  bool has(const char* key) { return find(key) != nullptr; }

  void refuse(const std::string& key, const std::string& must_be) {
    refuse(Error{ErrorCode::BadRequest, fmt::format("{{{}}} must be {}", key, must_be), key});
  }
  void refuse(Error error) {
    if (error_.message.empty()) {
      error_ = std::move(error);
    }
  }
  bool sound() const { return error_.message.empty(); }

  void flag(const char* key, bool& into) {
    if (const Json* value = find(key)) {
      value->is_boolean() ? void(into = value->get<bool>()) : refuse(key, "true or false");
    }
  }

  void text(const char* key, std::string& into) {
    if (const Json* value = find(key)) {
      value->is_string() ? void(into = value->get<std::string>()) : refuse(key, "a text");
    }
  }

  template <std::integral T>
  void whole(const char* key, std::int64_t least, std::int64_t most, T& into) {
    if (const Json* value = find(key)) {
      if (const auto number = whole_number(*value, least, most)) {
        into = static_cast<T>(*number);
      } else {
        refuse(key, fmt::format("a whole number from {} to {}", least, most));
      }
    }
  }

  /// Finite, and above or from `low` on.
  template <class T>
  void number(const char* key, T& into, double low = -std::numeric_limits<double>::infinity(),
              bool without_low = false) {
    if (const Json* value = find(key)) {
      const double x = value->is_number() ? value->get<double>() : std::nan("");
      if (std::isfinite(x) && (without_low ? x > low : x >= low)) {
        into = x;
      } else {
        refuse(key, std::isinf(low) ? "a finite number"
                                    : fmt::format("a finite number {} {}",
                                                  without_low ? "above" : "of at least", low));
      }
    }
  }

  /// One of `words`.
  void word(const char* key, const std::vector<std::string>& words, std::string& into) {
    if (const Json* value = find(key)) {
      const std::string given = value->is_string() ? value->get<std::string>() : std::string();
      for (const std::string& word : words) {
        if (value->is_string() && word == given) {
          into = word;
          return;
        }
      }
      refuse(key, fmt::format("{}{}", fmt::join(words, " or "), did_you_mean(given, words)));
    }
  }

  template <class T>
  void texts(const char* key, T& into, bool or_one = false) {
    if (const Json* value = find(key)) {
      if (or_one && value->is_string()) {
        into = std::vector<std::string>{value->get<std::string>()};
      } else if (all(*value, [](const Json& one) { return one.is_string(); })) {
        into = value->get<std::vector<std::string>>();
      } else {
        refuse(key, "a list of texts");
      }
    }
  }

  void numbers(const char* key, std::vector<double>& into) {
    if (const Json* value = find(key)) {
      if (all(*value, [](const Json& one) {
            return one.is_number() && std::isfinite(one.get<double>());
          })) {
        into = value->get<std::vector<double>>();
      } else {
        refuse(key, "a list of finite numbers");
      }
    }
  }

  /// After the last field.
  Result<void> finish() {
    if (!json_.is_object()) {
      return tl::unexpected<Error>(error_);
    }
    for (const auto& [key, value] : json_.items()) {
      if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) {
        refuse(Error{
            ErrorCode::BadRequest,
            fmt::format("{} has no field '{}'{}", what_, shown(key), did_you_mean(key, asked_)),
            key});
      }
    }
    return sound() ? Result<void>() : Result<void>(tl::unexpected<Error>(error_));
  }

 private:
  static bool all(const Json& list, bool (*holds)(const Json&)) {
    return list.is_array() && std::all_of(list.begin(), list.end(), holds);
  }

  const Json& json_;
  std::string what_;
  std::vector<std::string> asked_ = {};
  Error error_ = {};
};

}  // namespace eigenveil
