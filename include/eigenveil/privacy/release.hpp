#pragma once

#include <string>
#include <utility>

#include "eigenveil/privacy/guarantee.hpp"

namespace eigenveil {

/// A published value with the guarantee it was drawn under. `map` is post-processing: it keeps the
/// guarantee, because the function sees nothing but the released value.
template <class T>
class Release {
 public:
  Release(T value, Guarantee guarantee, std::string mechanism)
      : value_(std::move(value)),
        guarantee_(std::move(guarantee)),
        mechanism_(std::move(mechanism)) {}

  const T& value() const { return value_; }
  /// Hands the value over without a copy; what is left has its guarantee still.
  T take() { return std::move(value_); }
  const Guarantee& guarantee() const { return guarantee_; }
  const std::string& mechanism() const { return mechanism_; }

  template <class Function>
  auto map(Function&& function) const {
    using Mapped = decltype(function(value_));
    return Release<Mapped>(function(value_), guarantee_, mechanism_);
  }

 private:
  T value_;
  Guarantee guarantee_;
  std::string mechanism_;
};

}  // namespace eigenveil
