#pragma once

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/random/stream.hpp"
#include "sampling/sampler.hpp"

namespace eigenveil {

/// The Gaussian approximation of the real matrix Bingham law (same target, conventions and
/// eigenbasis as BinghamSampler): the last p-k rows Z are independent normals with variance
/// 1 / (2 exponent (lambda_j - lambda_(k+i))), the first k rows (I - Z^T Z)_+^(1/2), everything
/// turned by one Haar rotation. Its total-variation error vanishes as p grows when every column is
/// captured. A Z outside the unit ball (where Yun and Dudeja's frame is not orthonormal) is
/// orthonormalised. Proof: docs/proofs/bingham_samplers.md, section 6.
class GaussianBlockSampler final : public ApproximateSampler<Matrix> {
 public:
  /// Needs lambda_k > lambda_(k+1), exponent > 0 and columns < p.
  static Result<GaussianBlockSampler> make(const Vector& eigenvalues, double exponent,
                                           Eigen::Index columns);
  Matrix draw(RandomStream& stream) const override;

 private:
  friend class GaussianBlockChain;
  GaussianBlockSampler(const Vector& eigenvalues, double exponent, Eigen::Index columns);
  Matrix propose_block(RandomStream& stream) const;

  Eigen::Index columns_;
  Vector head_gaps_;  ///< exponent (lambda_j - lambda_k), j <= k
  Vector tail_gaps_;  ///< exponent (lambda_k - lambda_(k+i))
};

/// Independence Metropolis chain with those proposals: the ratio of target to proposal is
/// det(I - Z^T Z)^(-1/2) inside the unit ball. It starts at Z = 0 and takes `steps` steps; the
/// ratio is unbounded, so it comes with no rate of convergence.
class GaussianBlockChain final : public ApproximateSampler<Matrix> {
 public:
  static Result<GaussianBlockChain> make(const Vector& eigenvalues, double exponent,
                                         Eigen::Index columns, int steps);
  Matrix draw(RandomStream& stream) const override;

 private:
  GaussianBlockChain(GaussianBlockSampler proposals, int steps);

  GaussianBlockSampler proposals_;
  int steps_;
};

}  // namespace eigenveil
