#pragma once

#include <utility>

#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// What was read, into its place.
template <class T, class Place>
Result<void> keep(Result<T> read, Place& place) {
  return std::move(read).map([&](T&& value) { place = std::move(value); });
}

}  // namespace eigenveil
