#include "mechanism/subspace/gamma_series.hpp"

#include <algorithm>
#include <array>
#include <boost/math/special_functions/log1p.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace eigenveil::detail {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon();  // 2 units of rounding
/// A term this much smaller than the sum ends a series; what is cut is bounded and counted.
constexpr double kCut = 1e-18;

/// log(1 + d) - d without cancellation.
double log1pmx(double d) {
  return boost::math::log1pmx(d);
}

/// A product of `steps` factors, each rounded twice, summed `steps` times.
double series_error(double steps) {
  return 3.0 * (steps + 2.0) * kUnit;
}

/// Q(1/2, x) over its kernel: erfc(sqrt x) Gamma(3/2) e^x / sqrt x.
Enclosed half_tail(double x) {
  if (x < 500.0) {
    const double value =
        std::erfc(std::sqrt(x)) * std::sqrt(std::numbers::pi) / 2.0 * std::exp(x) / std::sqrt(x);
    return {value, (x + 32.0) * 2.0 * kUnit};
  }
  return {0.5 / x, 0.5 / x};  // x^{-1/2} e^-x / Gamma(1/2) is an upper bound, good to 1/(2x)
}

/// Poisson(rate) tails P(N > i) for i = 0..last, summed from far above so that each is exact to
/// rounding. `error` collects the relative error.
std::vector<double> poisson_tails(double rate, std::size_t last, double& error) {
  const auto beyond = last + 80 + static_cast<std::size_t>(4.0 * std::sqrt(rate + 1.0));
  std::vector<double> mass(beyond + 2);
  const auto mode = std::min(beyond, static_cast<std::size_t>(rate));
  const Enclosed anchor = gamma_kernel(static_cast<double>(mode), rate);
  mass[mode] = anchor.value;
  for (std::size_t j = mode; j <= beyond; ++j) {
    mass[j + 1] = mass[j] * (rate / static_cast<double>(j + 1));
  }
  for (std::size_t j = mode; j > 0; --j) {
    mass[j - 1] = mass[j] * (static_cast<double>(j) / rate);
  }
  const double ratio = rate / static_cast<double>(beyond + 2);
  double tail = mass[beyond + 1] / (1.0 - ratio);  // geometric bound, ratio < 1 by choice
  std::vector<double> tails(last + 1);
  for (std::size_t j = beyond + 1; j-- > 1;) {
    tail += mass[j];
    if (j <= last + 1) {
      tails[j - 1] = tail;
    }
  }
  error = anchor.relative + series_error(static_cast<double>(beyond)) + 1e-15;
  return tails;
}

double small_stirling_theta(double shape) {
  // Gamma(shape + 1) by its recursion from Gamma(1) = 1 or Gamma(1/2) = sqrt(pi).
  const bool whole = shape == std::floor(shape);
  long double log_gamma = whole ? 0.0L : 0.5L * std::log(std::numbers::pi_v<long double>);
  for (double factor = whole ? 1.0 : 0.5; factor <= shape; factor += 1.0) {
    log_gamma += std::log(static_cast<long double>(factor));
  }
  const long double a = shape;
  return static_cast<double>(log_gamma - (a * std::log(a) - a) -
                             0.5L * std::log(2.0L * std::numbers::pi_v<long double> * a));
}

/// Below this the asymptotic series is not used.
constexpr int kSmallShapes = 64;

}  // namespace

double stirling_theta(double shape) {
  if (shape >= kSmallShapes) {
    const double square = shape * shape;
    return (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / (1260.0 * square)) / square) / shape;
  }
  if (shape == 0.0) {
    return 0.0;
  }
  // Shapes are half degrees of freedom: few values, asked for in every step of every series.
  static const auto values = [] {
    std::array<double, 2 * kSmallShapes> table{};
    for (std::size_t i = 1; i < table.size(); ++i) {
      table[i] = small_stirling_theta(0.5 * static_cast<double>(i));
    }
    return table;
  }();
  const double twice = 2.0 * shape;
  return twice >= 1.0 && twice == std::floor(twice) ? values[static_cast<std::size_t>(twice)]
                                                    : small_stirling_theta(shape);
}

double log_gamma_kernel(double shape, double x) {
  if (shape == 0.0) {
    return -x;
  }
  return shape * log1pmx((x - shape) / shape) - stirling_theta(shape) -
         0.5 * std::log(2.0 * std::numbers::pi * shape);
}

Enclosed gamma_kernel(double shape, double x) {
  if (shape == 0.0) {
    return {std::exp(-x), 4.0 * kUnit};
  }
  const double exponent = shape * log1pmx((x - shape) / shape);
  const double value =
      std::exp(exponent - stirling_theta(shape)) / std::sqrt(2.0 * std::numbers::pi * shape);
  return {value, (8.0 * std::abs(exponent) + 32.0) * kUnit + 1e-14};
}

Enclosed upper_gamma_ratio(double shape, double x) {
  double term = 1.0;
  double sum = 0.0;
  double steps = 0.0;
  for (double b = shape; b > 0.5; b -= 1.0) {
    term *= b / x;
    sum += term;
    steps += 1.0;
    const double next = (b - 1.0) / x;
    if (next < 1.0 && term * next < kCut * (1.0 - next) * sum) {
      return {sum, series_error(steps) + 2.0 * kCut};
    }
  }
  const bool whole = shape == std::floor(shape);
  if (whole) {
    return {sum, series_error(steps)};  // the series ends by itself: Q(0, x) = 0
  }
  const Enclosed rest = half_tail(x);
  const double last = term * rest.value;
  return {sum + last, series_error(steps) + rest.relative * last / (sum + last)};
}

Enclosed lower_gamma_ratio(double shape, double x) {
  double term = 1.0;
  double sum = 1.0;
  double steps = 1.0;
  for (;; steps += 1.0) {
    term *= x / (shape + steps);
    sum += term;
    const double next = x / (shape + steps + 1.0);
    if (next < 1.0 && term * next < kCut * (1.0 - next) * sum) {
      return {sum, series_error(steps) + 2.0 * kCut};
    }
  }
}

Enclosed shifted_mass_ratio(double shape, double rate, double x) {
  // Terms peak where i (shape + i) = rate x; beyond the Poisson bulk both factors fall.
  const double peak =
      std::max(rate, 2.0 * rate * x / (shape + std::sqrt(shape * shape + 4.0 * rate * x)));
  const auto last = static_cast<std::size_t>(peak + 14.0 * std::sqrt(peak + 1.0) + 60.0);
  double tail_error = 0.0;
  const std::vector<double> tails = poisson_tails(rate, last, tail_error);
  double product = 1.0;
  double sum = tails[0];
  for (std::size_t i = 1; i <= last; ++i) {
    product *= x / (shape + static_cast<double>(i));
    sum += product * tails[i];
  }
  // Tails of a Poisson law fall at least as fast as its masses: by rate / (i + 2) at step i.
  const double next =
      x / (shape + static_cast<double>(last) + 1.0) * rate / (static_cast<double>(last) + 2.0);
  const double cut = next < 1.0 ? product * tails[last] * next / (1.0 - next)
                                : std::numeric_limits<double>::infinity();
  return {sum, series_error(static_cast<double>(last)) + tail_error + cut / sum};
}

}  // namespace eigenveil::detail
