#include "random/fixed_interval.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace eigenveil::detail {
namespace {

BigInteger ceil_divide(const BigInteger& a, const BigInteger& b) {
  return (a + b - 1) / b;
}

BigInteger ceil_shift(const BigInteger& a, unsigned bits) {
  const BigInteger shifted = a >> bits;
  return (shifted << bits) == a ? shifted : shifted + 1;
}

BigInteger one(unsigned precision) {
  return BigInteger(1) << precision;
}

}  // namespace

Dyadic to_dyadic(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return {static_cast<std::int64_t>(std::ldexp(fraction, 53)), exponent - 53};
}

FixedInterval enclose(const Ratio& ratio, unsigned precision) {
  const BigInteger scaled = ratio.numerator << precision;
  return {scaled / ratio.denominator, ceil_divide(scaled, ratio.denominator)};
}

FixedInterval multiply(const FixedInterval& a, const FixedInterval& b, unsigned precision) {
  return {(a.lower * b.lower) >> precision, ceil_shift(a.upper * b.upper, precision)};
}

FixedInterval divide(const FixedInterval& a, const FixedInterval& b, unsigned precision) {
  return {(a.lower << precision) / b.upper, ceil_divide(a.upper << precision, b.lower)};
}

FixedInterval square_root(const FixedInterval& a, unsigned precision) {
  return {boost::multiprecision::sqrt(a.lower << precision),
          boost::multiprecision::sqrt(a.upper << precision) + 1};
}

FixedInterval complement(const FixedInterval& a, unsigned precision) {
  const BigInteger whole = one(precision);
  return {a.upper >= whole ? BigInteger(0) : whole - a.upper, whole - a.lower};
}

FixedInterval positive_series(FixedInterval first, const FixedInterval& x, unsigned divisor,
                              unsigned step, unsigned precision) {
  FixedInterval sum = first;
  FixedInterval term = std::move(first);
  // The ratio of a term to the one before is x / divisor, decreasing. Once it is at most 1/2 the
  // terms left out add up to at most the last one taken.
  while (term.upper > 1 || 2 * x.upper > (BigInteger(divisor) << precision)) {
    term = multiply(term, x, precision);
    term.lower /= divisor;
    term.upper = ceil_divide(term.upper, divisor);
    sum.lower += term.lower;
    sum.upper += term.upper;
    divisor += step;
  }
  sum.upper += term.upper;
  return sum;
}

FixedInterval exponential(const FixedInterval& x, unsigned precision) {
  return positive_series({one(precision), one(precision)}, x, 1, 1, precision);
}

FixedInterval half_pi(unsigned precision) {
  FixedInterval term{one(precision), one(precision)};
  FixedInterval sum = term;
  for (unsigned n = 1; term.upper > 1; ++n) {
    term.lower = term.lower * n / (2 * n + 1);
    term.upper = ceil_divide(term.upper * n, 2 * n + 1);
    sum.lower += term.lower;
    sum.upper += term.upper;
  }
  sum.upper += term.upper;  // ratios n / (2n + 1) < 1/2
  return sum;
}

bool vanishes(const FixedInterval& exponent, unsigned precision) {
  return exponent.lower >= (BigInteger(precision) << precision);
}

FixedInterval below_one_unit() {
  return {0, 1};
}

}  // namespace eigenveil::detail
