#pragma once

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/random/stream.hpp"
#include "sampling/sampler.hpp"

namespace eigenveil {

/// Gibbs chain for the real matrix Bingham law (same target, conventions and eigenbasis as
/// BinghamSampler): from a Haar frame, `sweeps` rounds in which every column is redrawn exactly
/// given the others, in O(p k^2) each. Works in every regime; a Markov chain, so the law after any
/// number of sweeps is approximate. Proof: docs/proofs/bingham_samplers.md, section 7.
class BinghamGibbsSampler final : public ApproximateSampler<Matrix> {
 public:
  static Result<BinghamGibbsSampler> make(const Vector& eigenvalues, double exponent,
                                          Eigen::Index columns, int sweeps);
  Matrix draw(RandomStream& stream) const override;

  /// One sweep on a frame with orthonormal columns, for callers that watch the chain.
  void sweep(RandomStream& stream, Matrix& frame) const;

 private:
  BinghamGibbsSampler(Vector eigenvalues, double exponent, Eigen::Index columns, int sweeps);

  Vector eigenvalues_;
  double exponent_;
  Eigen::Index columns_;
  int sweeps_;
};

}  // namespace eigenveil
