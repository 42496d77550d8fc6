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

}  // namespace eigenveil
