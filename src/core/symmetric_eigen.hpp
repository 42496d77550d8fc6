#pragma once

#include "eigenveil/core/matrix.hpp"

namespace eigenveil {

/// Eigenpairs of a symmetric matrix, largest eigenvalue first.
struct SymmetricEigen {
  Vector values;
  Matrix vectors;  ///< column j belongs to values[j]
};

/// All eigenpairs (LAPACK dsyevd: Eigen's own solver is slow past a few hundred rows).
/// Only the upper triangle of `matrix` is read. Entries must be finite.
SymmetricEigen symmetric_eigen(Matrix matrix);

/// All eigenvalues, and the eigenvectors of the `count` largest. Works inside `matrix`: beside it
/// only dimension x count numbers are held, where dsyevd needs two more matrices.
SymmetricEigen leading_eigenvectors(Matrix matrix, Eigen::Index count);

/// Sum of the moduli of the eigenvalues.
double nuclear_norm(const Matrix& matrix);

/// The `count` largest eigenpairs (LAPACK dsyevr).
SymmetricEigen largest_eigenpairs(Matrix matrix, Eigen::Index count);

}  // namespace eigenveil
