#pragma once

namespace eigenveil {

/// Laws of which limits, audits and analyses need quantiles, by Boost.Math in double precision.
/// Boost stands behind this file alone: its headers cost seconds in every unit that includes them.
/// What a guarantee rests on is rounded outward by its caller, or computed in privacy/.

double normal_cdf(double x);
double normal_quantile(double probability);
/// The value that is exceeded with probability `tail`; also far out, where 1 - tail is 1.
double normal_upper_quantile(double tail);
double students_t_upper_quantile(double degrees, double tail);
double non_central_chi_squared_upper_quantile(double degrees, double noncentrality, double tail);
double binomial_quantile(double trials, double chance, double probability);
double binomial_upper_quantile(double trials, double chance, double tail);
double beta_quantile(double a, double b, double probability);

/// Regularised incomplete gamma functions, P + Q = 1, and the density behind them.
double gamma_lower(double shape, double x);
double gamma_upper(double shape, double x);
double gamma_density(double shape, double x);

/// log(1 + x) - x without cancellation.
double log1p_minus(double x);

}  // namespace eigenveil
