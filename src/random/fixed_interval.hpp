#pragma once

// g++ 12 sees impossible states of Boost's inlined small-buffer integers.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wstringop-overread"
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>

namespace eigenveil::detail {

using BigInteger = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>,
                                                 boost::multiprecision::et_off>;

/// An exact positive rational number.
struct Ratio {
  BigInteger numerator;
  BigInteger denominator;
};

/// x = mantissa * 2^exponent, exactly.
struct Dyadic {
  std::int64_t mantissa;
  int exponent;
};
Dyadic to_dyadic(double x);

/// Encloses a non-negative real x: lower <= x * 2^precision <= upper. Every operation rounds
/// outwards, so an enclosure never loses its value; the precision is the caller's.
struct FixedInterval {
  BigInteger lower;
  BigInteger upper;
};

FixedInterval enclose(const Ratio& ratio, unsigned precision);
FixedInterval multiply(const FixedInterval& a, const FixedInterval& b, unsigned precision);
FixedInterval divide(const FixedInterval& a, const FixedInterval& b, unsigned precision);
FixedInterval square_root(const FixedInterval& a, unsigned precision);
/// 1 - a, for a value known to lie in [0, 1].
FixedInterval complement(const FixedInterval& a, unsigned precision);

/// Sum of first * xⁿ / (d (d + step) ... (d + (n-1) step)), n >= 0, d = divisor.
FixedInterval positive_series(FixedInterval first, const FixedInterval& x, unsigned divisor,
                              unsigned step, unsigned precision);
/// eˣ.
FixedInterval exponential(const FixedInterval& x, unsigned precision);
/// π / 2 = sum of n! / (2n + 1)!!.
FixedInterval half_pi(unsigned precision);

/// e⁻ᴮ < 2⁻ᴮ: a survival function below e⁻ʸ, y >= precision, is enclosed by [0, one unit].
bool vanishes(const FixedInterval& exponent, unsigned precision);
FixedInterval below_one_unit();

}  // namespace eigenveil::detail
