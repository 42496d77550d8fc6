#pragma once

#include <string_view>

#include "eigenveil/report/document.hpp"

namespace eigenveil {

/// The value of a field, or null when it is absent or of another type.
template <class T>
const T* field(const Fields& fields, std::string_view name) {
  for (const auto& [key, value] : fields) {
    if (key == name) {
      return std::get_if<T>(&value);
    }
  }
  return nullptr;
}

/// Says a field anew, or for the first time.
inline void set_field(Fields& fields, std::string_view name, FieldValue value) {
  for (auto& [key, held] : fields) {
    if (key == name) {
      held = std::move(value);
      return;
    }
  }
  fields.emplace_back(name, std::move(value));
}

}  // namespace eigenveil
