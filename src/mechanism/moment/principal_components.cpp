#include "mechanism/moment/principal_components.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/symmetric_eigen.hpp"

namespace eigenveil {

/// Adding noise of spectral norm f to eigenvalues with mean m and variance v gives a spectrum that
/// ends near m + sqrt(4 v + f²). The noisy eigenvalues that are not components show m and
/// v + (f / 2 factor)², the noise's own spread. Along a direction u the norm of D N D shrinks from
/// max(d) |d| to |D u| |d|.
Vector noise_edge(const Vector& eigenvalues, const Matrix& loadings, const Vector& scales,
                  double noise_floor, double factor) {
  const auto rest = eigenvalues.tail(eigenvalues.size() - loadings.cols());
  const double mean = rest.size() > 0 ? rest.mean() : 0.0;
  const double variance = rest.size() > 0 ? (rest.array() - mean).square().mean() : 0.0;
  const double noise_spread = noise_floor / (2.0 * factor);
  const double spread2 = std::max(0.0, variance - noise_spread * noise_spread);
  Vector edge(loadings.cols());
  for (Eigen::Index j = 0; j < loadings.cols(); ++j) {
    const double level =
        noise_floor * scales.cwiseProduct(loadings.col(j)).norm() / scales.maxCoeff();
    edge[j] = std::max(mean, 0.0) + std::sqrt(level * level + 4.0 * spread2);
  }
  return edge;
}

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
  result.noise_floor = covariance.noise_floor;
  result.noise_edge = noise_edge(eigen.values, result.loadings, covariance.scales,
                                 covariance.noise_floor, covariance.spectral_factor);
  return result;
}

}  // namespace eigenveil
