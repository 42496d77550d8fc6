#pragma once

#include "privacy/wide.hpp"

namespace eigenveil::detail {

/// Mills ratio M(t) = Phi(-t) / phi(t), relative error at most wide_slack(), for |t| <= 1e4.
Wide mills_ratio(const Wide& t);

/// Phi(-t), relative error at most 2 wide_slack().
Wide upper_tail(const Wide& t);

/// A z with Phi(-z) >= probability, and so close to equality that no double lies between.
Wide lower_quantile(const Wide& probability);

/// Upper bound on Phi(-eps/mu + mu/2) - e^eps Phi(-eps/mu - mu/2); within one unit in the last
/// place while mu >= 1e-12. Smallest positive double where the value underflows.
double gaussian_delta(double mu, double epsilon);

/// Lower bound on Phi(Phi^-1(1 - type_one) - mu).
double gaussian_trade_off(double mu, double type_one);

}  // namespace eigenveil::detail
