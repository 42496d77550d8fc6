#pragma once

#include <bit>
#include <cstdint>

namespace eigenveil::detail {

/// Smallest double in (failing, passing] at which a monotone predicate holds. Non-negative doubles
/// are ordered like their bits, so at most 63 evaluations reach neighbouring doubles whatever the
/// scale. The predicate is never trusted to be monotone: the returned value was seen to pass.
template <class Predicate>
double first_passing(double failing, double passing, Predicate&& holds) {
  auto low = std::bit_cast<std::uint64_t>(failing);
  auto high = std::bit_cast<std::uint64_t>(passing);
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (holds(std::bit_cast<double>(middle)) ? high : low) = middle;
  }
  return std::bit_cast<double>(high);
}

/// Largest double in [passing, failing) at which a predicate holds that is true, then false.
template <class Predicate>
double last_passing(double passing, double failing, Predicate&& holds) {
  auto low = std::bit_cast<std::uint64_t>(passing);
  auto high = std::bit_cast<std::uint64_t>(failing);
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (holds(std::bit_cast<double>(middle)) ? low : high) = middle;
  }
  return std::bit_cast<double>(low);
}

}  // namespace eigenveil::detail
