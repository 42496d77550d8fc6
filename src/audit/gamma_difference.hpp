#pragma once

namespace eigenveil {

/// P(|X - Y| <= x) for independent Gamma(shape) variables of scale 1: the law of a quadratic form
/// of two-sided Wishart noise with 2 shape degrees of freedom.
double gamma_difference_within(double shape, double x);

}  // namespace eigenveil
