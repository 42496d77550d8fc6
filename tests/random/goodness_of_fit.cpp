#include "random/goodness_of_fit.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <numeric>

namespace eigenveil::test {

double kolmogorov_distance(std::vector<double>& values,
                           const std::function<double(double)>& at_most,
                           const std::function<double(double)>& below) {
  std::ranges::sort(values);
  const auto count = static_cast<double>(values.size());
  double distance = 0.0;
  for (std::size_t begin = 0; begin < values.size();) {
    const double x = values[begin];
    std::size_t end = begin;
    while (end < values.size() && values[end] == x) {
      ++end;
    }
    distance = std::max({distance, std::abs(static_cast<double>(begin) / count - below(x)),
                         std::abs(static_cast<double>(end) / count - at_most(x))});
    begin = end;
  }
  return distance;
}

double kolmogorov_distance(std::vector<double>& values, const std::function<double(double)>& cdf) {
  return kolmogorov_distance(values, cdf, cdf);
}

double cell_p_value(std::span<const double> probabilities, std::span<const std::size_t> counts) {
  const auto draws =
      static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  double smallest = 1.0;
  for (std::size_t cell = 0; cell < counts.size(); ++cell) {
    const boost::math::binomial_distribution<double> law(draws, probabilities[cell]);
    const auto count = static_cast<double>(counts[cell]);
    const double at_most = boost::math::cdf(law, count);
    const double at_least =
        count == 0.0 ? 1.0 : boost::math::cdf(boost::math::complement(law, count - 1.0));
    smallest = std::min({smallest, 2.0 * at_most, 2.0 * at_least});
  }
  return smallest * static_cast<double>(counts.size());
}

}  // namespace eigenveil::test
