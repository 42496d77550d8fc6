#pragma once

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/random/stream.hpp"

namespace eigenveil::detail {

/// The b > 0 with sum_i 1 / (b + 2 penalties_i) = 1; penalties are nonnegative, the least is 0, so
/// 1 <= b <= penalties.size(). It minimises the mass of the angular central Gaussian envelope;
/// every positive b is valid, so its accuracy touches speed alone.
double envelope_offset(const Vector& penalties);

/// log of the acceptance probability that a quadratic form t = v^T D v of the proposal earns in
/// `dimension` q: (q/2) (log(t/q) - (t/q - 1)) <= 0.
double log_envelope_ratio(double quadratic_form, double dimension);

/// Rejection from the (matrix) angular central Gaussian law for the density exp(-tr(V^T A V)),
/// A = diag(penalties), on q x k frames with orthonormal columns. Every accepted proposal has
/// exactly the target law. Proof: docs/proofs/bingham_samplers.md, section 2.
class AngularGaussianEnvelope {
 public:
  AngularGaussianEnvelope(const Vector& penalties, Eigen::Index columns);

  /// Buffers of one thread; they keep their size from one proposal to the next.
  struct Workspace {
    Matrix normals;
    Matrix scaled;
  };

  /// One proposal. True: `frame` (q x k) holds an exact draw.
  bool propose(RandomStream& stream, Workspace& workspace, Matrix& frame) const;

 private:
  bool propose_vector(RandomStream& stream, Workspace& workspace, Matrix& frame) const;

  Eigen::Index columns_;
  Vector half_precision_;  ///< D / 2 = b / 2 + A
};

}  // namespace eigenveil::detail
