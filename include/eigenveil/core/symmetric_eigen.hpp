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

/// The `count` largest eigenpairs (LAPACK dsyevr).
SymmetricEigen largest_eigenpairs(Matrix matrix, Eigen::Index count);

}  // namespace eigenveil
