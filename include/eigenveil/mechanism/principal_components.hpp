#pragma once

#include "eigenveil/mechanism/covariance.hpp"

namespace eigenveil {

/// Released principal components: post-processing of a noisy covariance.
struct PrincipalComponents {
  Matrix loadings;            ///< p x k, orthonormal columns, largest variance first
  Vector explained_variance;  ///< noisy, never negative
  Vector explained_share;     ///< of the positive part of the noisy total variance
  double noise_floor = 0.0;
};

/// The top `count` eigenpairs, each sign fixed from the released vector itself: its entry of
/// largest modulus is positive.
PrincipalComponents principal_components(const NoisyCovariance& covariance, Eigen::Index count);

}  // namespace eigenveil
