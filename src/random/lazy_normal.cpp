#include "random/lazy_normal.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "core/multiversion.hpp"

namespace eigenveil::detail {
namespace {

constexpr std::uint64_t kNegative = std::uint64_t{1} << 63;
constexpr double kBelowOne = 1.0 - 0x1p-53;
constexpr std::size_t kNormalBlock = 512;

/// The 63 bits beside the sign, in (0, 1): a small tail is known to 53 bits of its own, so that a
/// large normal is as accurate as a small one. Upper 52 and lower 11 bits, each exact, then added.
EIGENVEIL_MULTIVERSION
void fill_relative_tails(const std::uint64_t* words, double* tails, std::size_t count) {
  constexpr std::uint64_t kUpperMask = (std::uint64_t{1} << 52) - 1;
  constexpr std::uint64_t kLowerMask = (std::uint64_t{1} << 11) - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t upper = (words[i] >> 11) & kUpperMask;
    const std::uint64_t lower = words[i] & kLowerMask;
    const double leading = std::bit_cast<double>(upper | std::bit_cast<std::uint64_t>(1.0)) - 1.0;
    const double rest =
        std::bit_cast<double>(lower | std::bit_cast<std::uint64_t>(0x1p52)) - (0x1p52 - 0.5);
    tails[i] = std::min(leading + rest * 0x1p-63, kBelowOne);
  }
}

double to_double(const BigInteger& value, unsigned fraction_bits) {
  // Unbounded integers may exceed the range of doubles: keep 64 leading bits.
  const BigInteger magnitude = abs(value);
  if (magnitude == 0) {
    return 0.0;
  }
  const unsigned top = msb(magnitude);
  const unsigned drop = top > 63 ? top - 63 : 0;
  const auto leading = static_cast<double>(static_cast<std::uint64_t>(magnitude >> drop));
  const double scaled =
      std::ldexp(leading, static_cast<int>(drop) - static_cast<int>(fraction_bits));
  return value < 0 ? -scaled : scaled;
}

/// value 2^bits, towards zero.
BigInteger shifted(const BigInteger& value, int bits) {
  return bits >= 0 ? BigInteger(value << static_cast<unsigned>(bits))
                   : BigInteger(value / (BigInteger(1) << static_cast<unsigned>(-bits)));
}

/// The multiple of 2^-precision next to value, as its numerator.
BigInteger to_fixed(double value, unsigned precision) {
  const Dyadic exact = to_dyadic(value);
  return shifted(exact.mantissa, exact.exponent + static_cast<int>(precision));
}

/// Every bound below is computed in doubles with fewer than 2^10 roundings.
constexpr double kOutward = 1.0 + 0x1p-40;
/// Largest radius of a result, in units of its precision.
constexpr double kLargestRadius = 0x1p12;
/// Digits of S(x) beyond those of V.
constexpr unsigned kGuard = 32;

/// One Newton step for S(x) = V, with what it proves.
struct NewtonStep {
  BigInteger next;      ///< x - (S(x) - V) / S'(x), grid of x
  double radius = 0.0;  ///< |g - next| in units of the grid of x; infinite if nothing is proved
};

/// g = x + d / (2 phi(xi)) for some xi between x and g, d = S(x) - V. Let slope = 1 / (2 phi(x)).
/// If rho >= |d| slope e^(x rho + rho²/2), then |g - x| <= rho, because S falls by at least
/// 2 phi(x + rho) rho over rho; and slope at xi differs from slope at x by a factor within
/// e^(±(x rho + rho²/2)).
NewtonStep newton_step(const BigInteger& x, const LazyTail& tail, unsigned precision) {
  const unsigned bits = tail.bits() + kGuard;
  const FixedInterval survival = kGaussianLaw.survival({x, BigInteger(1) << precision}, bits);
  const BigInteger lowest = survival.lower - ((tail.prefix() + 1) << kGuard);
  const BigInteger highest = survival.upper - (tail.prefix() << kGuard);
  const double at = to_double(x, precision);
  const double slope = std::sqrt(std::numbers::pi / 2.0) * std::exp(0.5 * at * at);
  const double largest =
      std::max(std::abs(to_double(lowest, bits)), std::abs(to_double(highest, bits)));
  const double rho = 2.0 * largest * slope * kOutward;
  const double spread = (at + 0.5 * rho) * rho * kOutward;
  // Middle of d times slope, on the grid of x.
  const Dyadic factor = to_dyadic(slope);
  const BigInteger step =
      shifted((lowest + highest) * factor.mantissa,
              factor.exponent + static_cast<int>(precision) - static_cast<int>(bits) - 1);
  NewtonStep result{x + step, std::numeric_limits<double>::infinity()};
  if (spread <= 0.5) {
    // e^spread <= 2 is what rho assumed; slope in doubles is good to 2^-41 for |x| < 40.
    const double half_width = 0.5 * to_double(highest - lowest, bits);
    const double relative = 2.0 * spread + 0x1p-40;
    const double radius = (largest * relative + half_width * (1.0 + relative)) * slope * kOutward;
    result.radius = std::ldexp(radius, static_cast<int>(precision)) + 2.0;
  }
  return result;
}

}  // namespace

void approximate_normals(std::span<const std::uint64_t> words, std::span<double> values) {
  std::array<double, kNormalBlock> tails;
  while (!words.empty()) {
    const std::size_t count = std::min(kNormalBlock, words.size());
    fill_relative_tails(words.data(), tails.data(), count);
    kGaussianLaw.magnitudes({tails.data(), count}, values.first(count));
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = std::copysign(values[i], std::bit_cast<double>(words[i]));
    }
    words = words.subspan(count);
    values = values.subspan(count);
  }
}

NormalEnclosure enclose_normal(std::uint64_t word, const NextWord& next_word, unsigned precision) {
  double start = 0.0;
  approximate_normals({&word, 1}, {&start, 1});
  LazyTail tail(word, next_word);
  // An error of 2^-bits in V is one of at most 1.26 2^-bits / V in g: V's leading zeros come on
  // top.
  const auto known = [&] { return tail.prefix() == 0 ? 0U : msb(tail.prefix()) + 1U; };
  while (known() < precision + 2) {
    tail.extend();
  }
  BigInteger x = std::max(to_fixed(std::abs(start), precision), BigInteger(1));
  for (;;) {
    const NewtonStep step = newton_step(x, tail, precision);
    // S is convex: from the left Newton's steps never pass g, and from the right the first may
    // leave the half line.
    x = std::max(step.next, BigInteger(1));
    if (step.radius <= kLargestRadius) {
      return {(word & kNegative) != 0 ? BigInteger(-x) : x,
              BigInteger(static_cast<std::int64_t>(std::ceil(step.radius)) + 1)};
    }
  }
}

double precise_normal(std::uint64_t word, const NextWord& next_word) {
  constexpr unsigned kPrecision = 80;
  return to_double(enclose_normal(word, next_word, kPrecision).centre, kPrecision);
}

}  // namespace eigenveil::detail
