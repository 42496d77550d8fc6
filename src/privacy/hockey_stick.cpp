#include "privacy/hockey_stick.hpp"

#include <algorithm>
#include <cstddef>

#include "eigenveil/privacy/conversion.hpp"
#include "privacy/trade_off_curve.hpp"

namespace eigenveil::detail {
namespace {

std::vector<StickPoint> mirrored(const std::vector<DeltaPoint>& points) {
  std::vector<StickPoint> positive;
  double smallest = 1.0;
  for (const DeltaPoint& point : points) {
    smallest = std::min(smallest, point.delta);  // delta never grows with epsilon
    positive.push_back({point.epsilon, exp(Wide(point.epsilon)), Wide(smallest)});
  }
  std::vector<StickPoint> all;
  for (auto point = positive.rbegin(); point != positive.rend(); ++point) {
    if (point->epsilon > 0.0) {
      const Wide shrink = 1 / point->growth;
      const Wide delta = 1 - shrink * (1 - point->delta) * (1 - wide_slack());
      all.push_back({-point->epsilon, shrink, delta});
    }
  }
  all.insert(all.end(), positive.begin(), positive.end());
  return all;
}

}  // namespace

Wide fall_between(const StickPoint& left, const StickPoint& right) {
  return (left.delta - right.delta) / (right.growth - left.growth);
}

std::vector<StickPoint> convex_minorant(const std::vector<DeltaPoint>& points) {
  std::vector<StickPoint> hull;
  for (const StickPoint& point : mirrored(points)) {
    // The fall must shrink from left to right; a point that breaks this lies above the minorant.
    while (hull.size() >= 2 &&
           fall_between(hull[hull.size() - 2], hull.back()) <= fall_between(hull.back(), point)) {
      hull.pop_back();
    }
    hull.push_back(point);
  }
  return hull;
}

TradeOffCurve curve_through(const std::vector<DeltaPoint>& points) {
  const std::vector<StickPoint> lines = convex_minorant(points);
  std::vector<Vertex> vertices;
  vertices.push_back({Wide(0), 1 - lines.back().delta});
  for (std::size_t i = lines.size() - 1; i > 0; --i) {
    const Wide a = fall_between(lines[i - 1], lines[i]);
    vertices.push_back({a, 1 - lines[i].delta - lines[i].growth * a});
  }
  const StickPoint& flattest = lines.front();
  vertices.push_back({std::min(Wide(1), (1 - flattest.delta) / flattest.growth), Wide(0)});
  vertices.push_back({Wide(1), Wide(0)});
  return rounded_down(vertices);
}

}  // namespace eigenveil::detail

namespace eigenveil {

TradeOffCurve trade_off_curve_of(const std::vector<ApproxDp>& proved) {
  std::vector<detail::DeltaPoint> points;
  points.reserve(proved.size());
  for (const ApproxDp& pair : proved) {
    points.push_back({pair.epsilon, pair.delta});
  }
  return detail::curve_through(points);
}

}  // namespace eigenveil
