#pragma once

#include "mechanism/moment/covariance.hpp"

namespace eigenveil {

/// Released principal components: post-processing of a noisy covariance.
struct PrincipalComponents {
  Matrix loadings;              ///< p x k, orthonormal columns, largest variance first
  Vector explained_variance;    ///< noisy, never negative
  Vector explained_share;       ///< of the noisy total variance (the trace, which is unbiased)
  double total_variance = 0.0;  ///< what the shares are of; 0 where it is not released
  double noise_floor = 0.0;     ///< NoiseReach::floor
  Vector noise_edge;  ///< a component below it cannot be told from noise; empty where that is not
                      ///< known
};

/// A vector's sign is arbitrary: its entry of largest modulus is made positive.
void fix_sign(Eigen::Ref<Vector> loading);

/// The top `count` eigenpairs, each sign fixed from the released vector itself: its entry of
/// largest modulus is positive. Looks at `raw` alone and works in its memory.
PrincipalComponents principal_components(NoisyCovariance covariance, Eigen::Index count);

}  // namespace eigenveil
