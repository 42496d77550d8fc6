#pragma once

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/random/stream.hpp"
#include "sampling/angular_gaussian.hpp"

namespace eigenveil::detail {

/// Rejection sampler of density exp(tr(V^T diag(a) V)) on p x k frames where c of the k columns are
/// tied to the first c eigenvectors and m = k - c roam. What the span of V has in common with the
/// last p - c coordinates, an m-dimensional subspace U, is drawn by the angular Gaussian envelope;
/// given U the rest is Gaussian, with a weight that is at most 1. The number of tries does not grow
/// with p. Every accepted proposal has exactly the target law. Proof:
/// docs/proofs/bingham_samplers.md, section 3.5.
class PeeledFrames {
 public:
  /// `eigenvalues` largest first, with a step after the first `captured`; 1 <= captured < columns
  /// and captured <= p - columns.
  PeeledFrames(const Vector& eigenvalues, double exponent, Eigen::Index columns,
               Eigen::Index captured);

  struct Workspace {
    AngularGaussianEnvelope::Workspace envelope;
    Matrix roaming;  ///< U, (p - c) x m
    Matrix tail;     ///< Z, (p - c) x c
  };

  /// One proposal. True: `frame` (p x k) holds an exact draw.
  bool propose(RandomStream& stream, Workspace& workspace, Matrix& frame) const;

 private:
  Eigen::Index captured_;
  Eigen::Index roaming_;
  Matrix inverse_gaps_;  ///< 1 / (a_j - a_i): a row per i > c, a column per j <= c
  Vector least_;         ///< of log det(U^T diag(1 / (a_j - a_i)) U) over all U
  AngularGaussianEnvelope envelope_;
};

}  // namespace eigenveil::detail
