#include "mechanism/subspace/fractions.hpp"

namespace eigenveil::detail {

using BigInteger = boost::multiprecision::cpp_int;

std::string Fraction::text() const {
  return denominator == 1 ? numerator.str() : numerator.str() + "/" + denominator.str();
}

double Fraction::value() const {
  return static_cast<double>(boost::multiprecision::cpp_rational(numerator, denominator));
}

std::optional<Fraction> reconstruct(const BigInteger& element, const BigInteger& prime) {
  // Extended Euclid on (p, element): every remainder r = s p + t element, so r / t = element.
  const BigInteger bound = boost::multiprecision::sqrt(BigInteger(prime / 2));
  BigInteger before = prime;
  BigInteger rest = element;
  BigInteger factor_before = 0;
  BigInteger factor = 1;
  while (rest > bound) {
    const BigInteger quotient = before / rest;
    BigInteger next = before - quotient * rest;
    before = rest;
    rest = next;
    next = factor_before - quotient * factor;
    factor_before = factor;
    factor = next;
  }
  if (factor == 0 || abs(factor) > bound) {
    return std::nullopt;
  }
  if (factor < 0) {
    factor = -factor;
    rest = -rest;
  }
  return Fraction{rest, factor};
}

}  // namespace eigenveil::detail
