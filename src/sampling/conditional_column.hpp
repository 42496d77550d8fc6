#pragma once

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/random/stream.hpp"

namespace eigenveil::detail {

/// An s0 at most `precision` above the largest eigenvalue of diag(eigenvalues) compressed to the
/// orthogonal complement of `others` (orthonormal columns, fewer than rows), and never below it.
/// Bisection on the inertia of the bordered matrix, no basis of the complement.
double compressed_top(const Vector& eigenvalues, const Matrix& others, double precision);

/// Exact draws of one column v given the other columns W: density exp(exponent v^T S v), S =
/// diag(eigenvalues), on the unit sphere of null(W^T). Angular Gaussian rejection with
/// D = b + 2 exponent (s0 - S), positive definite on null(W^T) but perhaps not everywhere.
class ConditionalColumn {
 public:
  ConditionalColumn(const Vector& eigenvalues, double exponent, const Matrix& others);

  /// Redraws until accepted; ends with probability one.
  Vector draw(RandomStream& stream) const;

  bool eliminates() const { return eliminates_; }

 private:
  void use_projection(const Vector& precision, const Matrix& others);
  bool use_elimination(const Vector& precision, const Matrix& others);
  Vector propose(RandomStream& stream) const;

  Vector precision_;  ///< D
  double dimension_;  ///< of null(W^T)
  bool eliminates_ = false;
  // Projection, D > 0: v = g - lever_ (W^T g), g ~ N(0, D^-1).
  Matrix others_;
  Matrix lever_;  ///< D^-1 W (W^T D^-1 W)^-1
  // Elimination: v_T = -elimination_ v_B, v_B = D_B^{-1/2} (g + basis_ correction_ basis_^T g).
  Matrix elimination_;
  Matrix basis_;
  Matrix correction_;
};

}  // namespace eigenveil::detail
