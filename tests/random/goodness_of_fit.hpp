#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace eigenveil::test {

/// Largest distance between the empirical distribution function of the values (sorted in place) and
/// `at_most`; `below` is P(X < x), which differs from P(X <= x) for a law on a grid.
double kolmogorov_distance(std::vector<double>& values,
                           const std::function<double(double)>& at_most,
                           const std::function<double(double)>& below);
double kolmogorov_distance(std::vector<double>& values, const std::function<double(double)>& cdf);

/// Dvoretzky-Kiefer-Wolfowitz with Massart's constant: P(distance > limit) <= alpha for every law.
inline double dkw_limit(std::size_t count, double alpha) {
  return std::sqrt(std::log(2.0 / alpha) / (2.0 * static_cast<double>(count)));
}

/// Every cell count is binomial. Smallest exact two-sided tail probability over the cells, times
/// the number of cells (Bonferroni): below alpha with probability at most alpha.
double cell_p_value(std::span<const double> probabilities, std::span<const std::size_t> counts);

}  // namespace eigenveil::test
