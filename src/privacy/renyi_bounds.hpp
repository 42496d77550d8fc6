#pragma once

#include <functional>
#include <vector>

#include "privacy/wide.hpp"

namespace eigenveil::detail {

/// Upper bounds on Renyi divergences in both directions, as a function of s = order - 1 > 0.
/// `excess_orders` lists the only usable values of s; when it is empty, every s > 0 is usable.
struct RenyiBound {
  std::function<double(double)> divergence;    ///< for the search, in doubles
  std::function<Wide(const Wide&)> certified;  ///< for the result, rounded up or exact
  std::vector<double> excess_orders;
};

/// Smallest delta at epsilon over the usable orders (Canonne, Kamath, Steinke 2020, Prop. 12), or
/// the total variation bound of the Kullback-Leibler limit where that is smaller. Rounded up.
double renyi_delta(const RenyiBound& bound, double epsilon);

/// Smallest epsilon at delta, by the same two rules.
double renyi_epsilon(const RenyiBound& bound, double delta);

/// Lower bound on the type II error: largest b such that the pair of Bernoulli laws (type_one,
/// 1 - b) already breaks the bound at some order, in either direction. Rounded down.
double renyi_trade_off(const RenyiBound& bound, double type_one);

}  // namespace eigenveil::detail
