#pragma once

#include <vector>

#include "eigenveil/privacy/guarantee.hpp"
#include "privacy/wide.hpp"

namespace eigenveil::detail {

/// From (0, beta_0) to (1, 0), type I increasing, type II not increasing, inside the unit square.
bool is_well_formed(const TradeOffCurve& curve);

/// max over the vertices of 1 - b - e^eps a: the convex conjugate of a polygon. Rounded up.
double curve_delta(const TradeOffCurve& curve, double epsilon);

/// Value of the polygon, rounded down.
double curve_trade_off(const TradeOffCurve& curve, double type_one);

/// Renyi divergence of the finite pair whose trade-off function is the polygon, the smaller of both
/// directions (each dominates both directions of the mechanism). Rounded up.
double curve_renyi(const TradeOffCurve& curve, double order);

/// f(1 - f(a)) iterated: 1 - (1 - f)^{size}, the curve of a group (Dong, Roth, Su 2022, Thm 2.14).
TradeOffCurve group_curve(const TradeOffCurve& curve, int size);

/// Point of an exact polygon. A vertex that moves down or left leaves a lower bound of a
/// non-increasing function, so vertices are rounded down in both coordinates.
struct Vertex {
  Wide type_one;
  Wide type_two;
};
TradeOffCurve rounded_down(const std::vector<Vertex>& polygon);

}  // namespace eigenveil::detail
