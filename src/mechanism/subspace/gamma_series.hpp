#pragma once

namespace eigenveil::detail {

/// A positive number with a bound on its relative error.
struct Enclosed {
  double value;
  double relative;

  double upper() const { return value * (1.0 + relative) * (1.0 + 0x1p-50); }
  double lower() const { return value * (1.0 - relative) * (1.0 - 0x1p-50); }
};

/// theta of Gamma(shape + 1) = sqrt(2 pi shape) (shape/e)^shape e^theta. `shape` is a
/// positive multiple of 1/2.
double stirling_theta(double shape);

/// x^shape e^-x / Gamma(shape + 1): Poisson(x) mass at `shape` where that is whole. Shape >= 0.
Enclosed gamma_kernel(double shape, double x);
double log_gamma_kernel(double shape, double x);  ///< to double precision, never underflows

/// Q(shape, x) / gamma_kernel(shape, x) for x > shape, and P(shape, x) / gamma_kernel(shape, x).
Enclosed upper_gamma_ratio(double shape, double x);
Enclosed lower_gamma_ratio(double shape, double x);

/// sum over i >= 0 of (prod_{l=1..i} x / (shape + l)) P(Poisson(rate) > i): the mass a non-central
/// law has above w = 2x beyond the central one, over gamma_kernel(shape, x).
Enclosed shifted_mass_ratio(double shape, double rate, double x);

}  // namespace eigenveil::detail
