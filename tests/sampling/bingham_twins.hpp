#pragma once

#include <cmath>
#include <optional>

#include "eigenveil/core/matrix.hpp"
#include "random/normal.hpp"

namespace eigenveil::test {

enum class Mistake { None, DivideByForm, DoubledVariance, NoJensenStep, NoLiftStep, NoBallTest };

/// A second, plain implementation of the angular Gaussian envelope for one column, density
/// exp(-sum_i penalties_i x_i^2), with the bug of public code built in on request.
inline Vector plain_envelope_draw(RandomStream& stream, const Vector& penalties, double b,
                                  Mistake mistake) {
  const auto p = static_cast<double>(penalties.size());
  for (;;) {
    Vector x(penalties.size());
    fill_standard_normal(stream, {x.data(), static_cast<std::size_t>(x.size())});
    x.array() /= (1.0 + 2.0 * penalties.array() / b).sqrt();
    x.normalize();
    const double u = x.cwiseAbs2().dot(penalties);
    const double form = 0.5 * p * std::log(1.0 + 2.0 * u / b);
    const double log_ratio = mistake == Mistake::DivideByForm
                                 ? -u - form
                                 : -u + form + 0.5 * (p - b) - 0.5 * p * std::log(p / b);
    if (std::log(uniform(stream)) < log_ratio) {
      return x;
    }
  }
}

/// One try of the head-tail scheme for one column in the plainest form: exponents a (largest
/// first), the first two lifted to `level`, the head an angle drawn by uniform rejection.
inline std::optional<Vector> plain_head_tail_try(RandomStream& stream, const Vector& a,
                                                 double level, Mistake mistake) {
  constexpr double kTwoPi = 6.283185307179586;
  const double first = std::max(a[0], level);
  const double second = std::max(a[1], level);
  const double angle = kTwoPi * uniform(stream);
  const double n1 = std::cos(angle) * std::cos(angle);
  const double n2 = std::sin(angle) * std::sin(angle);
  double envelope = -n1 * first - n2 * second;
  double at_first = -first;
  double at_second = -second;
  double head = envelope;
  for (Eigen::Index i = 2; i < a.size(); ++i) {
    envelope += 0.5 * (n1 * std::log(first - a[i]) + n2 * std::log(second - a[i]));
    at_first += 0.5 * std::log(first - a[i]);
    at_second += 0.5 * std::log(second - a[i]);
    head -= 0.5 * std::log(n1 / (first - a[i]) + n2 / (second - a[i]));
  }
  const double accepted_as = mistake == Mistake::NoJensenStep ? envelope : head;
  if (!(std::log(uniform(stream)) < accepted_as - std::max(at_first, at_second))) {
    return std::nullopt;
  }
  const double theta = first * n2 + second * n1;
  Vector x(a.size());
  double left = 1.0;
  for (Eigen::Index i = 2; i < a.size(); ++i) {
    double normal = 0.0;
    fill_standard_normal(stream, {&normal, 1});
    const double variance = 0.5 / (theta - a[i]);
    x[i] = normal * std::sqrt(mistake == Mistake::DoubledVariance ? 2.0 * variance : variance);
    left -= x[i] * x[i];
  }
  if (left <= 0.0) {
    if (mistake != Mistake::NoBallTest) {
      return std::nullopt;
    }
    x.tail(a.size() - 2) /= std::sqrt(1.0 - left);
    left = 0.0;
  }
  const double lift = (first - a[0]) * n2 + (second - a[1]) * n1;
  if (mistake != Mistake::NoLiftStep && !(std::log(uniform(stream)) < -lift * left)) {
    return std::nullopt;
  }
  x[0] = -std::sin(angle) * std::sqrt(left);
  x[1] = std::cos(angle) * std::sqrt(left);
  return x;
}

inline Vector plain_head_tail_draw(RandomStream& stream, const Vector& a, double level,
                                   Mistake mistake) {
  for (;;) {
    if (std::optional<Vector> x = plain_head_tail_try(stream, a, level, mistake)) {
      return *x;
    }
  }
}

}  // namespace eigenveil::test
