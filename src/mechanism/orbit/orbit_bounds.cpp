#include "mechanism/orbit/orbit_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace eigenveil {

using Index = Eigen::Index;

double orbit_dimension(const Vector& spectrum, Index dimension) {
  const auto d = static_cast<double>(dimension);
  double squares = 0.0;
  double zeros = d;
  for (Index first = 0; first < spectrum.size() && spectrum[first] > 0.0;) {
    Index last = first;
    while (last < spectrum.size() && spectrum[last] == spectrum[first]) {
      ++last;
    }
    const auto multiplicity = static_cast<double>(last - first);
    squares += multiplicity * multiplicity;
    zeros -= multiplicity;
    first = last;
  }
  return (d * d - squares - zeros * zeros) / 2.0;
}

double expected_score_loss(const Vector& spectrum, Index dimension, double exponent) {
  return exponent > 0.0 ? orbit_dimension(spectrum, dimension) / exponent
                        : std::numeric_limits<double>::infinity();
}

double predicted_orbit_error(const Vector& eigenvalues, Index rank, double exponent) {
  const Index d = eigenvalues.size();
  const double worst = 2.0 * static_cast<double>(std::min(rank, d - rank));
  double error = 0.0;
  for (Index i = 0; i < rank; ++i) {
    for (Index j = rank; j < d; ++j) {
      const double rate = exponent * (eigenvalues[i] - eigenvalues[j]);
      error += rate > 0.0 ? 1.0 / rate : worst;
    }
  }
  return std::min(error, worst);
}

double expected_low_rank_error(const LowRankUtility& utility) {
  const Vector& g = utility.eigenvalues;
  const auto k = static_cast<double>(utility.rank);
  const auto d = static_cast<double>(g.size());
  const double b = utility.eigenvalue_scale;
  // Noisy eigenvalues are distinct: N = k d - k (k + 1) / 2.
  const double free_entries = k * d - k * (k + 1.0) / 2.0;
  const double tail = g.tail(g.size() - utility.rank).squaredNorm();
  const double largest = g[0] + b * (1.0 + std::log(k));
  return tail + 2.0 * k * b * b +
         2.0 * free_entries * largest * utility.rows_moved / utility.direction_epsilon;
}

double predicted_low_rank_error(const LowRankUtility& utility) {
  const Vector& g = utility.eigenvalues;
  double pairs = 0.0;
  for (Index i = 0; i < utility.rank; ++i) {
    pairs += static_cast<double>((g.tail(g.size() - i - 1).array() < g[i]).count());
  }
  const double b = utility.eigenvalue_scale;
  const double error = g.tail(g.size() - utility.rank).squaredNorm() +
                       2.0 * static_cast<double>(utility.rank) * b * b +
                       pairs * g[0] * utility.rows_moved / utility.direction_epsilon;
  return std::min(error, g.squaredNorm());
}

OrbitLowerBounds orbit_lower_bounds(const Vector& eigenvalues, Index rank, double epsilon) {
  const Vector& l = eigenvalues;
  const Index dimension = l.size();
  const auto d = static_cast<double>(dimension);
  const auto k = static_cast<double>(rank);
  double widest = 0.0;
  for (Index i = 1; i <= dimension / 2; ++i) {
    const double gap = l[i - 1] - l[dimension - i];
    widest = std::max(widest, static_cast<double>(i) * gap * gap);
  }
  const double denominator = std::max(l[0] * l[0] * epsilon, d);
  OrbitLowerBounds bounds;
  bounds.corollary_2_5 = d / denominator * widest;
  bounds.theorem_2_4 = l.tail(dimension - rank).squaredNorm() + bounds.corollary_2_5;
  bounds.projection = std::min(k * (d - k) / epsilon, l[0] * l[0] * k);
  const double trace = l.sum();
  for (Index i = 1; i <= dimension; ++i) {
    for (Index j = i + 1; j <= dimension; ++j) {
      const double pairs = static_cast<double>(i) * static_cast<double>(dimension - j + 1);
      const double gap = l[i - 1] - l[j - 1];
      const double width = static_cast<double>(std::min(i, dimension - j + 1)) * gap * gap;
      bounds.packing = std::max(bounds.packing, width * std::exp(-epsilon * trace / pairs));
    }
  }
  bounds.spectral_norm = rank < dimension ? l[0] * std::exp(-l[0] * epsilon / (k * (d - k))) : 0.0;
  return bounds;
}

}  // namespace eigenveil
