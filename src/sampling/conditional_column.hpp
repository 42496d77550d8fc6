#pragma once

#include <cstdint>

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

  /// How null(W^T) is reached: project onto it (D > 0), eliminate the leading coordinates (where D
  /// may be negative), or, when they cannot be eliminated, an explicit basis in O(p (p-k)^2).
  enum class Form : std::uint8_t { Projection, Elimination, Basis };
  Form form() const { return form_; }

 private:
  void use_projection(const Vector& precision, const Matrix& others);
  bool use_elimination(const Vector& precision, const Matrix& others);
  void use_basis(const Vector& eigenvalues, double exponent, const Matrix& others);
  /// The proposal v, not normalised, and its quadratic form v^T D v.
  double propose(RandomStream& stream, Vector& v) const;

  Vector precision_;  ///< D
  double dimension_;  ///< of null(W^T)
  Form form_ = Form::Projection;
  // Projection, D > 0: v = g - lever_ (W^T g), g ~ N(0, D^-1).
  Matrix others_;
  Matrix lever_;  ///< D^-1 W (W^T D^-1 W)^-1
  // Elimination: v_T = -elimination_ v_B, v_B = D_B^{-1/2} (g + basis_ correction_ basis_^T g).
  Matrix elimination_;
  Matrix basis_;  ///< also: eigenvectors of the compression, D then belongs to its eigenvalues
  Matrix correction_;
};

}  // namespace eigenveil::detail
