#pragma once

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

namespace eigenveil::test {

/// Dvoretzky-Kiefer-Wolfowitz with Massart's constant.
inline double dkw_limit(std::size_t count, double alpha) {
  return std::sqrt(std::log(2.0 / alpha) / (2.0 * static_cast<double>(count)));
}

/// sup |F_n - F| from F at the sorted sample points.
inline double distance_from_cdf(const std::vector<double>& cdf_at_sorted) {
  const auto n = static_cast<double>(cdf_at_sorted.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < cdf_at_sorted.size(); ++i) {
    const auto rank = static_cast<double>(i);
    distance =
        std::max({distance, cdf_at_sorted[i] - rank / n, (rank + 1.0) / n - cdf_at_sorted[i]});
  }
  return distance;
}

inline double distance_from_cdf(std::vector<double> sample,
                                const std::function<double(double)>& cdf) {
  std::ranges::sort(sample);
  std::ranges::transform(sample, sample.begin(), cdf);
  return distance_from_cdf(sample);
}

/// sup |F_n - F| for an unnormalised density on [0, 1]: the distribution function is summed over
/// the gaps between sample points, where it is smooth. `integral` is its closed form, if known.
inline double distance_from_density(std::vector<double> sample,
                                    const std::function<double(double)>& density,
                                    std::optional<double> integral = std::nullopt) {
  using boost::math::quadrature::gauss;
  using boost::math::quadrature::gauss_kronrod;
  std::ranges::sort(sample);
  const auto wide = [&](double low, double high) {
    return low < high ? gauss_kronrod<double, 31>::integrate(density, low, high, 6, 1e-9) : 0.0;
  };
  std::vector<double> cdf(sample.size());
  // Simpson's rule is exact to many digits on the short gaps; the few wide ones get ten points.
  const double wide_gap = (sample.back() - sample.front()) / 512.0;
  double total = wide(0.0, sample.front());
  double left = density(sample.front());
  cdf.front() = total;
  for (std::size_t i = 1; i < sample.size(); ++i) {
    const double gap = sample[i] - sample[i - 1];
    const double right = density(sample[i]);
    total += gap > wide_gap ? gauss<double, 10>::integrate(density, sample[i - 1], sample[i])
                            : gap / 6.0 * (left + 4.0 * density(sample[i - 1] + 0.5 * gap) + right);
    left = right;
    cdf[i] = total;
  }
  total += wide(sample.back(), 1.0);
  for (double& value : cdf) {
    value /= integral.value_or(total);
  }
  return distance_from_cdf(cdf);
}

inline double distance_of_samples(std::vector<double> left, std::vector<double> right) {
  std::ranges::sort(left);
  std::ranges::sort(right);
  double distance = 0.0;
  std::size_t j = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    while (j < right.size() && right[j] < left[i]) {
      ++j;
    }
    const double below_right = static_cast<double>(j) / static_cast<double>(right.size());
    const auto n = static_cast<double>(left.size());
    distance = std::max({distance, std::abs(static_cast<double>(i) / n - below_right),
                         std::abs(static_cast<double>(i + 1) / n - below_right)});
  }
  return distance;
}

/// Both empirical laws are within their DKW band of the common law with probability 1 - alpha.
inline double two_sample_limit(std::size_t left, std::size_t right, double alpha) {
  return dkw_limit(left, alpha / 2.0) + dkw_limit(right, alpha / 2.0);
}

struct MeanInterval {
  double mean;
  double half_width;
};

/// Maurer and Pontil's empirical Bernstein interval, values in an interval of length `range`.
inline MeanInterval empirical_bernstein(const std::vector<double>& values, double range,
                                        double alpha) {
  const auto n = static_cast<double>(values.size());
  double mean = 0.0;
  for (const double value : values) {
    mean += value / n;
  }
  double variance = 0.0;
  for (const double value : values) {
    variance += (value - mean) * (value - mean) / (n - 1.0);
  }
  const double log_term = std::log(4.0 / alpha);  // two sides, two events each
  return {mean,
          std::sqrt(2.0 * variance * log_term / n) + 7.0 * range * log_term / (3.0 * (n - 1.0))};
}

}  // namespace eigenveil::test
