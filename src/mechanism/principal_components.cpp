#include "eigenveil/mechanism/principal_components.hpp"

#include <cmath>

namespace eigenveil {
namespace {

void fix_sign(Eigen::Ref<Vector> loading) {
  Eigen::Index largest = 0;
  loading.cwiseAbs().maxCoeff(&largest);
  if (loading[largest] < 0.0) {
    loading = -loading;
  }
}

}  // namespace

PrincipalComponents principal_components(const NoisyCovariance& covariance, Eigen::Index count) {
  PrincipalComponents result;
  result.loadings = covariance.eigenvectors.leftCols(count);
  for (Eigen::Index j = 0; j < count; ++j) {
    fix_sign(result.loadings.col(j));
  }
  result.explained_variance = covariance.eigenvalues.head(count).cwiseMax(0.0);
  const double total = covariance.eigenvalues.cwiseMax(0.0).sum();
  result.explained_share =
      total > 0.0 ? Vector(result.explained_variance / total) : Vector::Zero(count);
  result.noise_floor = covariance.noise_floor;
  return result;
}

}  // namespace eigenveil
