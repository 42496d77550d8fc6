#pragma once

#include <Eigen/Core>

#include "eigenveil/core/matrix.hpp"

namespace eigenveil {

/// Eigenpairs of a Hermitian matrix, largest eigenvalue first.
struct HermitianEigen {
  Vector values;
  Eigen::MatrixXcd vectors;  ///< column j belongs to values[j]
};

/// All eigenpairs (LAPACK zheevd). Only the upper triangle of `matrix` is read.
HermitianEigen hermitian_eigen(Eigen::MatrixXcd matrix);

}  // namespace eigenveil
