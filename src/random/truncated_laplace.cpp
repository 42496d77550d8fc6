#include "random/truncated_laplace.hpp"

#include <algorithm>
#include <cmath>

#include "random/fixed_interval.hpp"

namespace eigenveil {
namespace {

using detail::BigInteger;

/// Weight of the outermost point: floors lose at most 2^-40 of a weight.
constexpr unsigned kSmallestWeightLog2 = 40;
/// Totals stay far inside 128 bits.
constexpr unsigned kLargestTotalLog2 = 126;
constexpr unsigned kPrecision = 128;

/// x = numerator / denominator, exactly, for a positive double.
detail::Ratio exact_ratio(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  const BigInteger mantissa(static_cast<std::int64_t>(std::ldexp(fraction, 53)));
  const int shift = exponent - 53;
  return shift >= 0 ? detail::Ratio{mantissa << static_cast<unsigned>(shift), BigInteger(1)}
                    : detail::Ratio{mantissa, BigInteger(1) << static_cast<unsigned>(-shift)};
}

UInt128 narrow(const BigInteger& value) {
  return static_cast<UInt128>(value);
}

/// 2^128 e^(epsilon / sensitivity), rounded down by interval arithmetic.
BigInteger growth_factor(std::int64_t sensitivity, double epsilon) {
  detail::Ratio exponent = exact_ratio(epsilon);
  exponent.denominator *= sensitivity;
  return detail::exponential(detail::enclose(exponent, kPrecision), kPrecision).lower;
}

}  // namespace

Result<TruncatedLaplace> TruncatedLaplace::make(std::int64_t sensitivity, double epsilon,
                                                double delta) {
  if (sensitivity < 1 || !(epsilon > 0.0) || !(epsilon <= 64.0) || !(delta > 0.0) ||
      !(delta < 1.0)) {
    return bad_request(
        "truncated Laplace noise needs 0 < epsilon <= 64 and 0 < delta < 1 for this step");
  }
  const BigInteger factor = growth_factor(sensitivity, epsilon);
  const detail::Ratio share = exact_ratio(delta);
  // From the outside in: v_0 = 2^40, v_(j+1) = floor(v_j e^(epsilon / sensitivity)).
  std::vector<UInt128> inward;
  BigInteger weight = BigInteger(1) << kSmallestWeightLog2;
  BigInteger outer = 0;  // the outermost `sensitivity` points of one side
  BigInteger side = 0;   // all points of one side so far
  const BigInteger limit = BigInteger(1) << kLargestTotalLog2;
  for (std::int64_t j = 0; j <= kLargestBound; ++j) {
    inward.push_back(narrow(weight));
    if (j >= sensitivity) {  // bound j: v_j is the weight of zero
      const BigInteger total = 2 * side + weight;
      if (outer * share.denominator <= share.numerator * total) {
        TruncatedLaplace noise;
        noise.weights_.assign(inward.rbegin(), inward.rend());
        noise.total_ = narrow(total);
        UInt128 running = noise.weights_.front();
        noise.cumulative_.push_back(running);
        for (std::size_t i = 1; i < noise.weights_.size(); ++i) {
          running += 2 * noise.weights_[i];
          noise.cumulative_.push_back(running);
        }
        return noise;
      }
    }
    side += weight;
    if (j < sensitivity) {
      outer += weight;
    }
    weight = (weight * factor) >> kPrecision;
    if (2 * side + weight > limit) {
      break;
    }
  }
  return bad_request(
      "the budget is too small for truncated Laplace noise: its table would be too long; spend "
      "more epsilon or allow a larger delta");
}

UInt128 TruncatedLaplace::weight(std::int64_t x) const {
  const std::int64_t distance = std::abs(x);
  return distance > bound() ? 0 : weights_[static_cast<std::size_t>(distance)];
}

double TruncatedLaplace::probability(std::int64_t x) const {
  return static_cast<double>(weight(x)) / static_cast<double>(total_);
}

std::int64_t TruncatedLaplace::draw(RandomStream& stream) const {
  const UInt128 u = uniform_below(stream, total_);
  const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end(), u);
  const auto distance = static_cast<std::int64_t>(found - cumulative_.begin());
  if (distance == 0) {
    return 0;
  }
  const UInt128 within = u - *std::prev(found);
  return within < weights_[static_cast<std::size_t>(distance)] ? distance : -distance;
}

UInt128 uniform_below(RandomStream& stream, UInt128 range) {
  UInt128 mask = range - 1;
  for (unsigned shift = 1; shift < 128; shift *= 2) {
    mask |= mask >> shift;
  }
  const bool wide = (mask >> 64U) != 0;
  while (true) {
    UInt128 drawn = stream.bits64();
    if (wide) {
      drawn = (drawn << 64U) | stream.bits64();
    }
    drawn &= mask;
    if (drawn < range) {
      return drawn;
    }
  }
}

}  // namespace eigenveil
