#pragma once

#include <optional>
#include <string>

#include "mechanism/subspace/prime_field.hpp"

namespace eigenveil::detail {

/// numerator / denominator in lowest terms.
struct Fraction {
  boost::multiprecision::cpp_int numerator;
  boost::multiprecision::cpp_int denominator;
  std::string text() const;
  double value() const;
};

/// The one fraction a/b = element modulo the prime with |a|, b <= sqrt(p / 2), if there is one
/// (Wang 1981): a function of the element alone.
std::optional<Fraction> reconstruct(const boost::multiprecision::cpp_int& element,
                                    const boost::multiprecision::cpp_int& prime);

}  // namespace eigenveil::detail
