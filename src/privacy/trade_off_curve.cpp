#include "privacy/trade_off_curve.hpp"

#include <algorithm>
#include <cstddef>

namespace eigenveil::detail {
namespace {

std::vector<Vertex> vertices_of(const TradeOffCurve& curve) {
  std::vector<Vertex> vertices;
  for (std::size_t i = 0; i < curve.type_one.size(); ++i) {
    vertices.push_back({Wide(curve.type_one[i]), Wide(curve.type_two[i])});
  }
  return vertices;
}

/// At a vertical edge the lower end counts: there the polygon falls before it goes on.
Wide value_at(const std::vector<Vertex>& polygon, const Wide& a) {
  const auto right = std::upper_bound(
      polygon.begin(), polygon.end(), a,
      [](const Wide& value, const Vertex& vertex) { return value < vertex.type_one; });
  if (right == polygon.end() || right == polygon.begin()) {
    return Wide(0);
  }
  const Vertex& left = *(right - 1);
  const Wide share = (a - left.type_one) / (right->type_one - left.type_one);
  return left.type_two + share * (right->type_two - left.type_two);
}

/// Smallest a with f(a) = value, for a value between consecutive vertices.
void append_preimages(const std::vector<Vertex>& polygon, const Wide& value,
                      std::vector<Wide>& points) {
  for (std::size_t i = 1; i < polygon.size(); ++i) {
    const Vertex& left = polygon[i - 1];
    const Vertex& right = polygon[i];
    if (left.type_two > value && value > right.type_two) {
      const Wide share = (left.type_two - value) / (left.type_two - right.type_two);
      points.push_back(left.type_one + share * (right.type_one - left.type_one));
    }
  }
}

/// outer(1 - inner(a)): breakpoints are those of `inner` and the preimages of those of `outer`.
TradeOffCurve chain(const TradeOffCurve& outer_curve, const TradeOffCurve& inner_curve) {
  const std::vector<Vertex> outer = vertices_of(outer_curve);
  const std::vector<Vertex> inner = vertices_of(inner_curve);
  std::vector<Wide> points;
  for (const Vertex& vertex : inner) {
    points.push_back(vertex.type_one);
  }
  for (const Vertex& vertex : outer) {
    append_preimages(inner, 1 - vertex.type_one, points);
  }
  std::sort(points.begin(), points.end());
  std::vector<Vertex> result;
  for (const Wide& a : points) {
    result.push_back({a, value_at(outer, 1 - value_at(inner, a))});
  }
  return rounded_down(result);
}

/// log sum of mass^order / other^(order-1) over the edges; infinite when `other` misses an edge.
Wide log_edge_moment(const std::vector<Vertex>& edges, bool swapped, const Wide& order,
                     bool& infinite) {
  Wide sum = 0;
  for (const Vertex& edge : edges) {
    const Wide& mass = swapped ? edge.type_two : edge.type_one;
    const Wide& other = swapped ? edge.type_one : edge.type_two;
    if (mass == 0) {
      continue;
    }
    if (other == 0) {
      infinite = true;
      return Wide(0);
    }
    sum += exp(order * log(mass) - (order - 1) * log(other));
  }
  return log(sum);
}

}  // namespace

TradeOffCurve rounded_down(const std::vector<Vertex>& polygon) {
  std::vector<double> a;
  std::vector<double> b;
  for (const Vertex& vertex : polygon) {
    a.push_back(std::max(0.0, enclose_down(vertex.type_one)));
    b.push_back(std::max(0.0, enclose_down(vertex.type_two - wide_slack())));
  }
  a.front() = 0.0;
  a.back() = 1.0;
  b.back() = 0.0;
  // Where rounding broke the order a vertex moves left to the next one, down to the one before.
  for (std::size_t i = a.size() - 1; i > 0; --i) {
    a[i - 1] = std::min(a[i - 1], a[i]);
  }
  TradeOffCurve curve;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double lowest = i == 0 ? b[i] : std::min(b[i], curve.type_two.back());
    if (i == 0 || a[i] != curve.type_one.back() || lowest != curve.type_two.back()) {
      curve.type_one.push_back(a[i]);
      curve.type_two.push_back(lowest);
    }
  }
  return curve;
}

bool is_well_formed(const TradeOffCurve& curve) {
  const std::vector<double>& a = curve.type_one;
  const std::vector<double>& b = curve.type_two;
  if (a.size() < 2 || a.size() != b.size() || a.front() != 0.0 || a.back() != 1.0 ||
      b.back() != 0.0 || !(b.front() <= 1.0)) {
    return false;
  }
  for (std::size_t i = 1; i < a.size(); ++i) {
    if (!(a[i] >= a[i - 1]) || !(b[i] <= b[i - 1]) || !(b[i] >= 0.0)) {
      return false;
    }
  }
  return true;
}

double curve_delta(const TradeOffCurve& curve, double epsilon) {
  if (!is_well_formed(curve)) {
    return 1.0;
  }
  // Past e^800 only vertices at a = 0 count: any other double a makes e^eps a exceed one.
  const Wide factor = exp(Wide(std::min(epsilon, 800.0))) * (1 - wide_slack());
  Wide largest = 0;
  for (std::size_t i = 0; i < curve.type_one.size(); ++i) {
    const Wide value = 1 - Wide(curve.type_two[i]) - factor * Wide(curve.type_one[i]);
    largest = std::max(largest, value);
  }
  return std::min(1.0, round_up(largest));
}

double curve_trade_off(const TradeOffCurve& curve, double type_one) {
  if (!is_well_formed(curve)) {
    return 0.0;
  }
  const Wide value = value_at(vertices_of(curve), Wide(type_one));
  return std::max(0.0, enclose_down(value));
}

double curve_renyi(const TradeOffCurve& curve, double order) {
  if (!is_well_formed(curve) || curve.type_two.front() < 1.0) {
    return kInfinity;
  }
  std::vector<Vertex> edges;
  for (std::size_t i = 1; i < curve.type_one.size(); ++i) {
    edges.push_back({Wide(curve.type_one[i]) - Wide(curve.type_one[i - 1]),
                     Wide(curve.type_two[i - 1]) - Wide(curve.type_two[i])});
  }
  double smallest = kInfinity;
  for (const bool swapped : {false, true}) {
    bool infinite = false;
    const Wide moment = log_edge_moment(edges, swapped, Wide(order), infinite);
    if (!infinite) {
      const Wide slack = (Wide(order) * 1000 + abs(moment)) * wide_slack();
      smallest = std::min(smallest, round_up((moment + slack) / (Wide(order) - 1)));
    }
  }
  return std::max(0.0, smallest);
}

TradeOffCurve group_curve(const TradeOffCurve& curve, int size) {
  TradeOffCurve result = curve;
  for (int step = 1; step < size; ++step) {
    result = chain(curve, result);
  }
  return result;
}

}  // namespace eigenveil::detail
