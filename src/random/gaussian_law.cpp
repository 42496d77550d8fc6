#include <array>
#include <cmath>
#include <cstddef>
#include <map>

#include "core/multiversion.hpp"
#include "random/noise_law.hpp"
#include "random/vector_log.hpp"

namespace eigenveil::detail {
namespace {

/// Numerator and denominator of degree 7, all coefficients positive, so that Horner's rule at an
/// argument >= 0 has no cancellation. Wichura, Algorithm AS 241 (PPND16), Applied Statistics 1988.
struct RationalFunction {
  std::array<double, 8> numerator;
  std::array<double, 8> denominator;
};

constexpr RationalFunction kCentral{
    {3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3,
     1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
     3.3430575583588128105e+4, 2.5090809287301226727e+3},
    {1.0, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
     2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4,
     5.2264952788528545610e+3}};

constexpr RationalFunction kTail{
    {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
     3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
     2.27238449892691845833e-2, 7.74545014278341407640e-4},
    {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
     1.05075007164441684324e-9}};

constexpr RationalFunction kFarTail{
    {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
     2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
     2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
     2.04426310338993978564e-15}};

/// Tails below it (|q| > 0.425 in AS 241) leave the central approximation.
constexpr double kCentralTail = 0.15;
constexpr std::size_t kBlock = 512;

[[gnu::always_inline]] inline double polynomial(const std::array<double, 8>& c, double r) {
  return ((((((c[7] * r + c[6]) * r + c[5]) * r + c[4]) * r + c[3]) * r + c[2]) * r + c[1]) * r +
         c[0];
}

[[gnu::always_inline]] inline double rational(const RationalFunction& f, double r) {
  return polynomial(f.numerator, r) / polynomial(f.denominator, r);
}

EIGENVEIL_MULTIVERSION
void fill_central(const double* tails, double* magnitudes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const double q = 0.5 * (1.0 - tails[i]);
    magnitudes[i] = q * rational(kCentral, 0.180625 - q * q);
  }
}

EIGENVEIL_MULTIVERSION
void fill_tail(const double* tails, double* magnitudes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const double r = std::sqrt(negative_log(0.5 * tails[i]));
    magnitudes[i] = rational(kTail, r - 1.6);
  }
}

double far_magnitude(double tail) {
  return rational(kFarTail, std::sqrt(negative_log(0.5 * tail)) - 5.0);
}

void fill_block(std::span<const double> tails, std::span<double> magnitudes) {
  fill_central(tails.data(), magnitudes.data(), tails.size());
  std::array<double, kBlock> small_tails;
  std::array<double, kBlock> large_magnitudes;
  std::array<std::size_t, kBlock> positions;
  std::size_t small = 0;
  for (std::size_t i = 0; i < tails.size(); ++i) {
    small_tails[small] = tails[i];
    positions[small] = i;
    small += static_cast<std::size_t>(tails[i] < kCentralTail);
  }
  fill_tail(small_tails.data(), large_magnitudes.data(), small);
  for (std::size_t i = 0; i < small; ++i) {
    const bool far = small_tails[i] < kSmallestFastTail;
    magnitudes[positions[i]] = far ? far_magnitude(small_tails[i]) : large_magnitudes[i];
  }
}

void gaussian_magnitudes(std::span<const double> tails, std::span<double> magnitudes) {
  for (std::size_t begin = 0; begin < tails.size(); begin += kBlock) {
    const std::size_t count = std::min(kBlock, tails.size() - begin);
    fill_block(tails.subspan(begin, count), magnitudes.subspan(begin, count));
  }
}

/// √(π/2). Many draws ask for the same few precisions.
const FixedInterval& root_of_half_pi(unsigned precision) {
  thread_local std::map<unsigned, FixedInterval> known;
  const auto [at, is_new] = known.try_emplace(precision);
  if (is_new) {
    at->second = square_root(half_pi(precision), precision);
  }
  return at->second;
}

/// S(t) = 1 - √(2/π) e^(-t²/2) Σ t^(2n+1) / (2n+1)!!, every series with positive terms only.
FixedInterval gaussian_survival(const Ratio& ratio, unsigned precision) {
  const FixedInterval t = enclose(ratio, precision);
  const FixedInterval squared = multiply(t, t, precision);
  const FixedInterval half_squared{squared.lower >> 1U, (squared.upper + 1) >> 1U};
  if (vanishes(half_squared, precision)) {  // S(t) <= e^(-t²/2)
    return below_one_unit();
  }
  const FixedInterval series = positive_series(t, squared, 3, 2, precision);
  const FixedInterval normaliser =
      multiply(exponential(half_squared, precision), root_of_half_pi(precision), precision);
  return complement(divide(series, normaliser, precision), precision);
}

}  // namespace

const NoiseLaw kGaussianLaw{gaussian_magnitudes, gaussian_survival};

}  // namespace eigenveil::detail
