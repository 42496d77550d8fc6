#include "mechanism/moment/component_verdicts.hpp"

#include <algorithm>
#include <limits>

#include "core/outward.hpp"
#include "mechanism/spiked/gap_projector.hpp"

namespace eigenveil {

ComponentVerdicts judge_components(const Vector& noisy_variance, const Vector& noise_edge,
                                   const Vector& share, double largest) {
  ComponentVerdicts verdicts;
  verdicts.variance = noisy_variance.cwiseMax(0.0).cwiseMin(largest);
  verdicts.share = share;
  for (Eigen::Index j = 0; j < noisy_variance.size(); ++j) {
    // After the clip: where the limit of noise lies above what the bounds allow, nothing is told.
    const bool noise = j < noise_edge.size() && verdicts.variance[j] < noise_edge[j];
    verdicts.below_noise.push_back(noise);
    verdicts.clipped.push_back(noisy_variance[j] > largest);
    if (noise && j < share.size()) {
      verdicts.share[j] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  return verdicts;
}

double largest_variance(const RowBound& bound, Units units) {
  const double radius = row_radius(bound, units);
  return up(radius * radius);
}

}  // namespace eigenveil
