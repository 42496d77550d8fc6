#include "mechanism/moment/principal_components.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/symmetric_eigen.hpp"

namespace eigenveil {

void fix_sign(Eigen::Ref<Vector> loading) {
  Eigen::Index largest = 0;
  loading.cwiseAbs().maxCoeff(&largest);
  if (loading[largest] < 0.0) {
    loading = -loading;
  }
}

PrincipalComponents principal_components(NoisyCovariance covariance, Eigen::Index count) {
  PrincipalComponents result;
  SymmetricEigen eigen = leading_eigenvectors(std::move(covariance.raw), count);
  result.loadings = std::move(eigen.vectors);
  for (Eigen::Index j = 0; j < count; ++j) {
    fix_sign(result.loadings.col(j));
  }
  result.explained_variance = eigen.values.head(count).cwiseMax(0.0);
  const double total = std::max(eigen.values.sum(), result.explained_variance.sum());
  result.total_variance = total;
  result.explained_share =
      total > 0.0 ? Vector(result.explained_variance / total) : Vector::Zero(count);
  result.noise_floor = covariance.reach.floor;
  result.noise_edge =
      noise_edge(eigen.values, result.loadings, covariance.scales, covariance.reach);
  return result;
}

}  // namespace eigenveil
