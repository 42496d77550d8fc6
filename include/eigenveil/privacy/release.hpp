#pragma once

#include <string>
#include <utility>

#include "eigenveil/privacy/guarantee.hpp"

namespace eigenveil {

template <class T>
class Release;

namespace trusted {
/// The caller promises that `value` was drawn under `guarantee`, or computed from nothing but what
/// was. For mechanisms; every use is behind a proof page.
template <class T>
Release<T> assume_released(T value, Guarantee guarantee, std::string mechanism);
}  // namespace trusted

/// A published value with the guarantee it was drawn under.
template <class T>
class Release {
 public:
  const T& value() const { return value_; }
  /// Hands the value over without a copy and ends the release.
  T take() && { return std::move(value_); }
  const Guarantee& guarantee() const { return guarantee_; }
  const std::string& mechanism() const { return mechanism_; }

  /// Post-processing, which keeps the guarantee. The caller promises that `function` sees nothing
  /// private: no types can look into a lambda that captured the rows.
  template <class Function>
  auto map(Function&& function) const {
    return trusted::assume_released(function(value_), guarantee_, mechanism_);
  }

 private:
  Release(T value, Guarantee guarantee, std::string mechanism)
      : value_(std::move(value)),
        guarantee_(std::move(guarantee)),
        mechanism_(std::move(mechanism)) {}
  template <class U>
  friend Release<U> trusted::assume_released(U, Guarantee, std::string);

  T value_;
  Guarantee guarantee_;
  std::string mechanism_;
};

namespace trusted {
template <class T>
Release<T> assume_released(T value, Guarantee guarantee, std::string mechanism) {
  return Release<T>(std::move(value), std::move(guarantee), std::move(mechanism));
}
}  // namespace trusted

}  // namespace eigenveil
