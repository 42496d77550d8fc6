#include "mechanism/spiked/spiked_estimates.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace eigenveil {
namespace {

constexpr int kNodes = 4096;

/// Upper tail of the law on a grid. With x = center - radius cos t the integrand is radius² sin² t
/// / (2 pi x min(1, ratio)).
class MarchenkoPasturTail {
 public:
  explicit MarchenkoPasturTail(double ratio)
      : center_(1.0 + ratio), radius_(2.0 * std::sqrt(ratio)), mass_(kNodes + 1, 0.0) {
    const double step = std::numbers::pi / kNodes;
    for (int i = kNodes - 1; i >= 0; --i) {  // midpoint rule from the top edge down
      const double t = (i + 0.5) * step;
      const double x = center_ - radius_ * std::cos(t);
      const double density = radius_ * radius_ * std::sin(t) * std::sin(t) /
                             (2.0 * std::numbers::pi * x * std::min(1.0, ratio));
      mass_[static_cast<std::size_t>(i)] = mass_[static_cast<std::size_t>(i) + 1] + density * step;
    }
  }

  double quantile(double level) const {
    const double target = level * mass_.front();  // normalised: the midpoint rule is off by little
    std::size_t low = 0;
    std::size_t high = mass_.size() - 1;
    while (high - low > 1) {  // mass decreases
      const std::size_t middle = (low + high) / 2;
      (mass_[middle] >= target ? low : high) = middle;
    }
    const double step = std::numbers::pi / kNodes;
    const double share = (mass_[low] - target) / std::max(mass_[low] - mass_[high], 1e-300);
    return center_ - radius_ * std::cos((static_cast<double>(low) + share) * step);
  }

 private:
  double center_;
  double radius_;
  std::vector<double> mass_;
};

}  // namespace

Vector marchenko_pastur_quantiles(double ratio, Eigen::Index m, Eigen::Index first,
                                  Eigen::Index last) {
  const MarchenkoPasturTail tail(ratio);
  Vector quantiles(last - first + 1);
  for (Eigen::Index k = first; k <= last; ++k) {
    // The last level is the lower edge, which is 0 for a square table: half a step above it.
    const double level = std::min(static_cast<double>(k), static_cast<double>(m) - 0.5);
    quantiles[k - first] = tail.quantile(level / static_cast<double>(m));
  }
  return quantiles;
}

bool bulk_has_window(Eigen::Index rows, Eigen::Index dimension, Eigen::Index rank) {
  return rank + 1 <= 3 * std::min(rows, dimension) / 4;
}

BulkEstimate bulk_estimate(Eigen::Index rows, Eigen::Index dimension, Eigen::Index rank) {
  const Eigen::Index m = std::min(rows, dimension);
  BulkEstimate estimate;
  estimate.first = std::max<Eigen::Index>(rank + 1, (m + 3) / 4);
  estimate.last = std::max(estimate.first, 3 * m / 4);
  estimate.quantiles = marchenko_pastur_quantiles(
      static_cast<double>(dimension) / static_cast<double>(rows), m, estimate.first, estimate.last);
  estimate.weight_norm = estimate.quantiles.norm();
  return estimate;
}

double BulkEstimate::noise_variance(const Vector& eigenvalues) const {
  return quantiles.dot(eigenvalues.segment(first - 1, quantiles.size())) / quantiles.squaredNorm();
}

double variance_behind(const Vector& eigenvalues, Eigen::Index rows, Eigen::Index dimension,
                       Eigen::Index rank) {
  const Eigen::Index spikes = std::min(rank, std::min(rows, dimension) - 1);
  const BulkEstimate bulk = bulk_estimate(rows - spikes, dimension - spikes, 0);
  // The covariance divides by n, the rows behind the spikes are n - rank.
  return bulk.noise_variance(eigenvalues.tail(eigenvalues.size() - spikes)) *
         static_cast<double>(rows) / static_cast<double>(rows - spikes);
}

Eigen::Index eigen_ratio_rank(const Vector& noisy_eigenvalues, Eigen::Index most, double floor) {
  Eigen::Index best = 1;
  double largest = -1.0;
  for (Eigen::Index k = 1; k <= std::min(most, noisy_eigenvalues.size() - 1); ++k) {
    const double ratio =
        std::max(noisy_eigenvalues[k - 1], floor) / std::max(noisy_eigenvalues[k], floor);
    if (ratio > largest) {
      largest = ratio;
      best = k;
    }
  }
  return best;
}

}  // namespace eigenveil
