#pragma once

#include <vector>

#include "eigenveil/privacy/guarantee.hpp"
#include "privacy/wide.hpp"

namespace eigenveil::detail {

/// A proved (epsilon, delta) pair, epsilon >= 0, valid for both directions of every neighbour pair.
struct DeltaPoint {
  double epsilon;
  double delta;
};

/// Point of the hockey-stick curve over growth = e^epsilon, epsilon of either sign.
struct StickPoint {
  double epsilon;
  Wide growth;
  Wide delta;
};

/// Greatest convex minorant, in e^epsilon, of proved pairs and their mirror images
/// delta(-eps) = 1 - e^-eps (1 - delta(eps)). The true curve is convex and below the points, so it
/// is below the minorant too. `points` are sorted by epsilon.
std::vector<StickPoint> convex_minorant(const std::vector<DeltaPoint>& points);

/// Fall of delta per unit of growth between neighbouring points: the mass the second law keeps
/// above the left point.
Wide fall_between(const StickPoint& left, const StickPoint& right);

/// Envelope of the lines b >= 1 - delta - e^eps a.
TradeOffCurve curve_through(const std::vector<DeltaPoint>& points);

}  // namespace eigenveil::detail
