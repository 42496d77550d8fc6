#include "mechanism/moment/predicted_error.hpp"

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

double predicted_truncation_error(const Vector& eigenvalues, Eigen::Index rank, double diagonal_sd,
                                  double off_diagonal_sd) {
  const Eigen::Index p = eigenvalues.size();
  const auto k = static_cast<double>(rank);
  const double off_diagonal = off_diagonal_sd * off_diagonal_sd;
  const double largest = eigenvalues.squaredNorm();
  double error = eigenvalues.tail(p - rank).squaredNorm() + k * diagonal_sd * diagonal_sd +
                 k * (k - 1.0) * off_diagonal;
  for (Eigen::Index i = 0; i < rank; ++i) {
    for (Eigen::Index j = rank; j < p; ++j) {
      const double gap = eigenvalues[i] - eigenvalues[j];
      error += gap > 0.0 ? 2.0 * off_diagonal * eigenvalues[i] / gap : largest;
    }
  }
  return std::min(error, largest);
}

}  // namespace eigenveil
