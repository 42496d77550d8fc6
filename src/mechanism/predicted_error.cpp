#include "eigenveil/mechanism/predicted_error.hpp"

#include <algorithm>

namespace eigenveil {

double predicted_subspace_error(const Vector& eigenvalues, Eigen::Index components,
                                double noise_sd) {
  const Eigen::Index p = eigenvalues.size();
  const double worst = 2.0 * static_cast<double>(std::min(components, p - components));
  double error = 0.0;
  for (Eigen::Index i = 0; i < components; ++i) {
    for (Eigen::Index j = components; j < p; ++j) {
      const double gap = eigenvalues[i] - eigenvalues[j];
      error += gap > 0.0 ? 2.0 * (noise_sd / gap) * (noise_sd / gap) : worst;
    }
  }
  return std::min(error, worst);
}

}  // namespace eigenveil
