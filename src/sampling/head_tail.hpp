#pragma once

#include <cstddef>
#include <vector>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/random/stream.hpp"
#include "sampling/angular_gaussian.hpp"

namespace eigenveil::detail {

/// Rejection sampler of density exp(tr(V^T diag(a) V)) on p x k frames, k < p: the span of the
/// first k+1 rows is drawn from its own small law (the head), the remaining rows are Gaussian given
/// the head (the tail). A level t* lifts the head's exponents to max(a, t*) in the proposal: it
/// removes ties and keeps acceptance polynomial where the signal is weak. Every accepted proposal
/// has exactly the target law. Proof: docs/proofs/bingham_samplers.md, section 3.
class HeadTail {
 public:
  /// `exponents` a_1 >= ... >= a_p, finite differences, 1 <= columns < p.
  HeadTail(const Vector& eigenvalues, double exponent, Eigen::Index columns);

  struct Workspace {
    AngularGaussianEnvelope::Workspace head;
    Matrix normal;   ///< unit normal of the head's range in R^(k+1)
    Matrix normals;  ///< standard normals of the tail, then of the rotation
    Matrix tail;     ///< Z
    Vector weights;  ///< squared coordinates of the unit normal
  };

  /// One proposal of head and tail. True: `frame` (p x k) holds an exact draw.
  bool propose(RandomStream& stream, Workspace& workspace, Matrix& frame) const;

  /// How many of the k columns have an exponent above the level: those the law ties to an
  /// eigenvector, the others still wander through the bulk.
  Eigen::Index captured() const { return captured_; }

 private:
  void prepare_head();
  bool propose_head(RandomStream& stream, Workspace& workspace) const;
  template <int kColumns>
  bool propose_tail(RandomStream& stream, Workspace& workspace, Matrix& frame) const;

  Eigen::Index columns_;
  Eigen::Index captured_ = 0;
  Vector head_gaps_;  ///< h_a = a'_a - a'_(k+1), a' = max(a, t*)
  Vector lift_;       ///< a'_a - a_a
  Vector tail_gaps_;  ///< d_i = a'_(k+1) - a_i
  Matrix ratios_;     ///< d_i / (h_a + d_i), rows padded with 1
  Vector log_ratio_sums_;
  std::size_t factors_per_log_ = 1;
  std::vector<AngularGaussianEnvelope> envelope_;  ///< exactly one; built after the gaps are known
};

}  // namespace eigenveil::detail
