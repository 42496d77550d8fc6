#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace eigenveil::test {

/// A pair of laws on a finite set: everything about it can be enumerated.
struct FinitePair {
  std::vector<double> first;
  std::vector<double> second;
};

/// sum of (p - e^eps q)+, in long double; the larger of both directions.
inline double true_delta(const FinitePair& pair, double epsilon) {
  long double forward = 0.0L;
  long double backward = 0.0L;
  const long double growth = std::exp(static_cast<long double>(epsilon));
  for (std::size_t i = 0; i < pair.first.size(); ++i) {
    const long double p = pair.first[i];
    const long double q = pair.second[i];
    forward += std::max(0.0L, p - growth * q);
    backward += std::max(0.0L, q - growth * p);
  }
  return static_cast<double>(std::max(forward, backward));
}

inline double true_epsilon(const FinitePair& pair) {
  double largest = 0.0;
  for (std::size_t i = 0; i < pair.first.size(); ++i) {
    largest = std::max(largest, std::abs(std::log(pair.first[i] / pair.second[i])));
  }
  return largest;
}

/// Renyi divergence of the first law against the second.
inline double true_renyi(const FinitePair& pair, double order) {
  long double sum = 0.0L;
  for (std::size_t i = 0; i < pair.first.size(); ++i) {
    sum += std::exp(order * std::log(static_cast<long double>(pair.first[i])) -
                    (order - 1.0L) * std::log(static_cast<long double>(pair.second[i])));
  }
  return static_cast<double>(std::log(sum) / (order - 1.0L));
}

/// Smallest type II error of a (randomised) test with type I error a, by Neyman and Pearson.
inline double true_trade_off(const FinitePair& pair, double a) {
  std::vector<std::size_t> order(pair.first.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return pair.second[i] * pair.first[j] > pair.second[j] * pair.first[i];
  });
  double error = 1.0;
  double left = a;
  for (const std::size_t i : order) {
    const double share = std::min(1.0, left / pair.first[i]);
    error -= share * pair.second[i];
    left -= share * pair.first[i];
    if (left <= 0.0) {
      break;
    }
  }
  return std::max(0.0, error);
}

/// Both mechanisms run independently.
inline FinitePair product(const FinitePair& left, const FinitePair& right) {
  FinitePair result;
  for (std::size_t i = 0; i < left.first.size(); ++i) {
    for (std::size_t j = 0; j < right.first.size(); ++j) {
      result.first.push_back(left.first[i] * right.first[j]);
      result.second.push_back(left.second[i] * right.second[j]);
    }
  }
  return result;
}

/// Enumerations in floating point are good to this relative error.
inline constexpr double kEnumerationError = 1e-13;

}  // namespace eigenveil::test
