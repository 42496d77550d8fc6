#include "mechanism/mask/masked_row_law.hpp"

#include <algorithm>
#include <boost/math/special_functions/log1p.hpp>
#include <cmath>
#include <limits>

#include "mechanism/subspace/gamma_series.hpp"

namespace eigenveil::detail {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon();
/// Poisson terms that are summed at most; a larger rate separates the two laws completely for any
/// budget, or belongs to a calibration that does not need masking.
constexpr double kLargestRate = 4e6;
/// Below this the series could leave the range of doubles, and Chernoff bounds take over.
constexpr double kSmallestKernel = 1e-250;

/// log of prod_{i<j} x / (a + i), by Stirling on both ends so that nothing large cancels.
double log_rising_ratio(double a, double x, double j) {
  const double u = j / a;
  return j * std::log(x / (a + j)) - a * boost::math::log1pmx(u) + 0.5 * std::log1p(u) -
         (stirling_theta(a + j) - stirling_theta(a));
}

/// e^exponent, at most 1, with room for the cancellation of terms as large as `size`.
double bound_from(double exponent, double size) {
  return std::exp(std::min(0.0, exponent + 1e-14 * size));
}

/// Chernoff: P_row(w > 2h) <= exp(-(1-v) h - shape log v + rate (1-v)/v) for every 0 < v < 1.
double row_tail_bound(double shape, double rate, double half) {
  const double v = (shape + std::sqrt(shape * shape + 4.0 * rate * half)) / (2.0 * half);
  if (!(v < 1.0)) {
    return 1.0;
  }
  return bound_from(-(1.0 - v) * half - shape * std::log(v) + rate * (1.0 - v) / v,
                    half + shape + rate / v);
}

/// Chernoff: P_zero(w < 2h) <= exp(shape (log(h/shape) - h/shape + 1)) for h < shape.
double zero_head_bound(double shape, double half) {
  return half < shape ? bound_from(shape * boost::math::log1pmx((half - shape) / shape), shape)
                      : 1.0;
}

}  // namespace

MaskedRowLaw::MaskedRowLaw(std::int64_t degrees, double noncentrality)
    : shape_(static_cast<double>(degrees) / 2.0), rate_(noncentrality / 2.0) {}

MaskedRowLaw::LogRatio MaskedRowLaw::log_ratio(double half) const {
  // e^-rate sum_j rate^j / j! prod_{i<j} half / (shape + i), summed outwards from its largest term.
  const double product = rate_ * half;
  const double peak =
      std::floor(2.0 * product / (shape_ + std::sqrt(shape_ * shape_ + 4.0 * product)));
  const double log_peak = log_gamma_kernel(peak, rate_) + log_rising_ratio(shape_, half, peak);
  double sum = 1.0;
  double weighted = peak;
  double steps = 0.0;
  double term = 1.0;
  for (double j = peak; term > 1e-18 * sum; j += 1.0, steps += 1.0) {
    term *= product / ((j + 1.0) * (shape_ + j));
    sum += term;
    weighted += (j + 1.0) * term;
  }
  term = 1.0;
  for (double j = peak; j > 0.0 && term > 1e-18 * sum; j -= 1.0, steps += 1.0) {
    term *= j * (shape_ + j - 1.0) / product;
    sum += term;
    weighted += (j - 1.0) * term;
  }
  return {log_peak + std::log(sum), weighted / sum / half, 8.0 * kUnit * (peak + steps + 1000.0)};
}

MaskedRowLaw::Crossing MaskedRowLaw::crossing(double level) const {
  // The log ratio is concave and at most rate (half/shape - 1), so Newton from that bound climbs to
  // the crossing and never passes it.
  double half = shape_ * (1.0 + level / rate_);
  LogRatio at = log_ratio(half);
  for (int step = 0; step < 100; ++step) {
    const double move = (level - at.value) / at.slope;
    const double next = half + move;
    if (!(next > 0.0) || std::abs(move) <= 4.0 * kUnit * half ||
        std::abs(level - at.value) <= at.error) {
      break;
    }
    half = next;
    at = log_ratio(half);
  }
  return {half, at.slope, std::abs(level - at.value) + at.error};
}

double MaskedRowLaw::hidden_mass(const Crossing& at) const {
  // Between the threshold used and the best one the integrand is at most `miss`, over a mass of
  // density (shape / half) kernel times miss / slope; 4 covers its variation there.
  const double density = gamma_kernel(shape_, at.half).upper() * shape_ / at.half;
  return 4.0 * at.miss * at.miss * density / at.slope;
}

double MaskedRowLaw::row_against_zero(double epsilon) const {
  if (rate_ == 0.0) {
    return 0.0;
  }
  if (!(rate_ <= kLargestRate)) {
    return 1.0;
  }
  const Crossing at = crossing(epsilon);
  const Enclosed kernel = gamma_kernel(shape_, at.half);
  if (!(kernel.value > kSmallestKernel)) {
    return row_tail_bound(shape_, rate_, at.half);
  }
  // P_row(w > t) - e^eps P_zero(w > t) = kernel (shifted - (e^eps - 1) tail)
  const double gained = shifted_mass_ratio(shape_, rate_, at.half).upper();
  const double paid =
      std::expm1(epsilon) * (1.0 - 4.0 * kUnit) * upper_gamma_ratio(shape_, at.half).lower();
  const double difference = kernel.upper() * std::max(0.0, gained - paid);
  return std::min(1.0, (difference + std::exp(epsilon) * hidden_mass(at)) * (1.0 + 8.0 * kUnit));
}

double MaskedRowLaw::zero_against_row(double epsilon) const {
  if (rate_ == 0.0 || epsilon >= rate_) {
    return 0.0;  // the ratio is at least e^-rate everywhere
  }
  if (!(rate_ <= kLargestRate)) {
    return 1.0;
  }
  const Crossing at = crossing(-epsilon);
  const Enclosed kernel = gamma_kernel(shape_, at.half);
  if (!(kernel.value > kSmallestKernel)) {
    return zero_head_bound(shape_, at.half);
  }
  // P_zero(w < t) - e^eps P_row(w < t) = kernel (e^eps shifted - (e^eps - 1) head)
  const double gained =
      std::exp(epsilon) * (1.0 + 4.0 * kUnit) * shifted_mass_ratio(shape_, rate_, at.half).upper();
  const double paid =
      std::expm1(epsilon) * (1.0 - 4.0 * kUnit) * lower_gamma_ratio(shape_, at.half).lower();
  const double difference = kernel.upper() * std::max(0.0, gained - paid);
  return std::min(1.0, (difference + hidden_mass(at)) * (1.0 + 8.0 * kUnit));
}

double MaskedRowLaw::zero_row_delta(double epsilon) const {
  return std::max(row_against_zero(epsilon), zero_against_row(epsilon));
}

}  // namespace eigenveil::detail
