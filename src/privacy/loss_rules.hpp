#pragma once

#include "eigenveil/privacy/guarantee.hpp"
#include "privacy/renyi_bounds.hpp"

namespace eigenveil::detail {

/// Parameters in range (zero loss allowed); the rules below are only applied to such losses.
bool is_well_formed(const Loss& loss);

/// Renyi bounds of zCDP and of a listed curve, in the form the searches need.
RenyiBound renyi_bound_of(const Zcdp& loss);
RenyiBound renyi_bound_of(const RenyiCurve& loss);

/// (order - 1) D of two-point randomised response, the worst case of pure epsilon-DP.
Wide randomised_response_moment(const Wide& epsilon, const Wide& order);

/// Bound between listed orders: (order - 1) D is convex and vanishes at order 1.
double interpolated_divergence(const RenyiCurve& curve, double order);

}  // namespace eigenveil::detail
