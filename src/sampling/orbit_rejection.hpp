#pragma once

#include <memory>
#include <optional>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/random/stream.hpp"
#include "sampling/gelfand_tsetlin.hpp"
#include "sampling/sampler.hpp"

namespace eigenveil {

/// The rejection samplers of a unitary orbit. All take `weights`, the diagonal c y sorted largest
/// first; only its differences matter. An attempt that is accepted has exactly the target law, and
/// one that is not accepted says nothing about later draws, so a caller may go on with any other
/// exact sampler. How many attempts fail depends on the weights: never part of a release.

/// Rank-k projectors: V = [(I - Zᴴ Z)^½; Z] with independent complex normal Z, accepted on
/// ||Z|| <= 1. Accepts almost always when the top k weights stand out. Ties between the weights are
/// guarded by a tilt. With k = 1 the acceptance is never much below 1/sqrt(2 pi d).
/// Proof: docs/proofs/orbit_samplers.md, section 1.
class GaussianBlock {
 public:
  GaussianBlock(const Vector& weights, Eigen::Index rank);
  /// Z with density exp(-sum rate_ij |z_ij|²) on the contractions: (d-k) x k rates, none negative.
  explicit GaussianBlock(const Matrix& rates);
  std::optional<ComplexMatrix> attempt(RandomStream& stream) const;

 private:
  Matrix deviations_;  ///< of the real and the imaginary part of Z, (d-k) x k
  Vector tilts_;       ///< one per column of Z
};

/// Rank-k projectors: envelope of the complex matrix angular central Gaussian law. Good when no
/// direction stands out. Proof: section 2.
class MatrixAngularGaussian {
 public:
  MatrixAngularGaussian(const Vector& weights, Eigen::Index rank);
  std::optional<ComplexMatrix> attempt(RandomStream& stream) const;

 private:
  Eigen::Index rank_;
  Vector costs_;       ///< a_i = w_1 - w_i
  Vector deviations_;  ///< of the real and the imaginary part of row i of the Gaussian matrix
  double b_;
};

/// Distinct l: independent exponential steps down from the largest pattern, accepted when they
/// interlace. Proof: section 4.
class VertexRejection {
 public:
  /// Needs l_1 > ... > l_k, l_k > 0 unless k = d, and positive rates: see `applies`.
  VertexRejection(const Vector& weights, const Vector& spectrum);
  static bool applies(const Vector& weights, const Vector& spectrum);
  std::optional<GelfandTsetlinPattern> attempt(RandomStream& stream) const;

 private:
  Vector weights_, spectrum_;
};

/// Any l, best when its values or the weights are nearly tied: a projector drawn as if all of l
/// were the smallest, a uniform basis of it, accepted with what the larger ones add. Proof: section
/// 4a.
class TiltedProjector {
 public:
  /// Needs positive l.
  TiltedProjector(const Vector& weights, Vector spectrum);
  /// V with orthogonal columns, VᴴV = diag(l).
  std::optional<ComplexMatrix> attempt(RandomStream& stream) const;

 private:
  Vector costs_;                        ///< w_1 - w_i
  Vector spectrum_;                     ///< l
  std::optional<GaussianBlock> block_;  ///< none where k = d: every frame spans the space
  std::optional<MatrixAngularGaussian> angular_;
};

/// Any l, best when the k largest weights are nearly tied and stand out from the rest: a Gaussian
/// block with a rate for every l_j, and its first k rows turned by a draw on the orbit of l in k
/// dimensions. Proof: section 4b.
class CapturedTop {
 public:
  /// Needs positive l and k < d. `top` draws on the orbit of l for the k largest weights.
  CapturedTop(const Vector& weights, Vector spectrum,
              std::shared_ptr<const ExactSampler<ComplexMatrix>> top);
  /// Whether an attempt may be accepted now and then.
  static bool applies(const Vector& weights, Eigen::Index rank);
  /// V with orthogonal columns, VᴴV = diag(l).
  std::optional<ComplexMatrix> attempt(RandomStream& stream) const;

 private:
  ComplexMatrix turned(RandomStream& stream) const;

  Vector spectrum_;   ///< l
  Vector top_costs_;  ///< w_a - w_k, a <= k
  GaussianBlock block_;
  std::shared_ptr<const ExactSampler<ComplexMatrix>> top_;
};

}  // namespace eigenveil
