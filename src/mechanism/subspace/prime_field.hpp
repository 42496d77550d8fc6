#pragma once

#include <cstdint>
#include <string>

#include "eigenveil/core/integers.hpp"

// g++ 12 sees impossible states of Boost's inlined integers.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wstringop-overread"
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <boost/multiprecision/cpp_int.hpp>

namespace eigenveil::detail {

/// Fields of integers modulo a Mersenne prime 2^kBits - 1, the elements reduced to [0, p).
/// Rank, spans and membership of integer points are computed here: for points with public bound
/// |x_i| <= V every minor that decides a rank is below p (Hadamard), so it vanishes in the field
/// exactly when it vanishes in the integers (docs/proofs/exact_subspace.md).
struct Field61 {
  using Element = std::uint64_t;
  static constexpr unsigned kBits = 61;
  static constexpr Element kPrime = (Element{1} << kBits) - 1;
  static Element fold(Element x) {
    x = (x & kPrime) + (x >> kBits);
    return x >= kPrime ? x - kPrime : x;
  }
  static Element multiply(Element a, Element b) {
    const UInt128 product = static_cast<UInt128>(a) * b;
    return fold(static_cast<Element>(product & kPrime) + static_cast<Element>(product >> kBits));
  }
};

struct Field127 {
  using Element = UInt128;
  static constexpr unsigned kBits = 127;
  static constexpr Element kPrime = (Element{1} << kBits) - 1;
  static Element fold(Element x) {
    x = (x & kPrime) + (x >> kBits);
    return x >= kPrime ? x - kPrime : x;
  }
  /// With a = a1 2^64 + a0 and 2^127 = 1: a b = a0 b0 + (a0 b1 + a1 b0) 2^64 + 2 a1 b1.
  static Element multiply(Element a, Element b) {
    const auto a0 = static_cast<std::uint64_t>(a);
    const auto b0 = static_cast<std::uint64_t>(b);
    const auto a1 = static_cast<std::uint64_t>(a >> 64U);
    const auto b1 = static_cast<std::uint64_t>(b >> 64U);
    const Element low = static_cast<Element>(a0) * b0;
    const Element middle = static_cast<Element>(a0) * b1 + static_cast<Element>(a1) * b0;
    const Element high = static_cast<Element>(a1) * b1;
    const Element shifted = (middle >> 63U) + ((middle & ((Element{1} << 63U) - 1)) << 64U);
    return fold(fold(fold(low) + fold(shifted)) + fold(high << 1U));
  }
};

struct Field521 {
  using Element = boost::multiprecision::number<
      boost::multiprecision::cpp_int_backend<1152, 1152, boost::multiprecision::unsigned_magnitude,
                                             boost::multiprecision::unchecked, void>,
      boost::multiprecision::et_off>;
  static constexpr unsigned kBits = 521;
  static const Element kPrime;
  static Element fold(const Element& x) {
    Element folded = (x & kPrime) + (x >> kBits);
    return folded >= kPrime ? Element(folded - kPrime) : folded;
  }
  static Element multiply(const Element& a, const Element& b) { return fold(fold(a * b)); }
};
inline const Field521::Element Field521::kPrime = (Field521::Element(1) << kBits) - 1;

template <class Field>
typename Field::Element add(const typename Field::Element& a, const typename Field::Element& b) {
  return Field::fold(a + b);
}
template <class Field>
typename Field::Element negate(const typename Field::Element& a) {
  return a == 0 ? a : typename Field::Element(Field::kPrime - a);
}
/// a - b c
template <class Field>
typename Field::Element subtract_product(const typename Field::Element& a,
                                         const typename Field::Element& b,
                                         const typename Field::Element& c) {
  return Field::fold(a + negate<Field>(Field::multiply(b, c)));
}

/// a^(p-2) = a^-1, by Fermat; a is not zero. p - 2 = 2^bits - 3 has the bits 1...101.
template <class Field>
typename Field::Element inverse(const typename Field::Element& a) {
  typename Field::Element power = a;
  for (unsigned bit = Field::kBits - 1; bit-- > 0;) {
    power = Field::multiply(power, power);
    if (bit != 1) {
      power = Field::multiply(power, a);
    }
  }
  return power;
}

template <class Field>
typename Field::Element from_integer(std::int64_t value) {
  using Element = typename Field::Element;
  const std::uint64_t magnitude = value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value)
                                            : static_cast<std::uint64_t>(value);
  const Element reduced = Field::fold(Element(magnitude));
  return value < 0 ? negate<Field>(reduced) : reduced;
}

}  // namespace eigenveil::detail
