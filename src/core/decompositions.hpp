#pragma once

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

#include "eigenveil/core/matrix.hpp"

/// Eigen's decompositions of small matrices, compiled once: each costs seconds in every file that
/// names it. Large symmetric matrices go to LAPACK (symmetric_eigen.hpp).
namespace eigenveil::detail {

using SelfAdjointEigen = Eigen::SelfAdjointEigenSolver<Matrix>;
using ComplexSelfAdjointEigen = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd>;

/// Smallest eigenvalue first; only the lower triangle is read.
SelfAdjointEigen self_adjoint_eigen(const Matrix& matrix, int options = Eigen::ComputeEigenvectors);
ComplexSelfAdjointEigen self_adjoint_eigen(const Eigen::MatrixXcd& matrix,
                                           int options = Eigen::ComputeEigenvectors);

Eigen::JacobiSVD<Matrix> jacobi_svd(const Matrix& matrix, unsigned options = 0);

/// Householder QR of a matrix with at least as many rows as columns.
struct ThinQr {
  Matrix frame;  ///< Q, rows x columns
  Matrix upper;  ///< R, columns x columns
};
ThinQr thin_qr(const Matrix& columns);

/// Q of the same factorisation.
Matrix orthonormal_frame(const Matrix& columns);
Eigen::MatrixXcd orthonormal_frame(const Eigen::MatrixXcd& columns);

/// Orthonormal columns that complete the frame to a basis.
Matrix orthogonal_complement(const Matrix& columns);

/// A⁻¹ B for a symmetric A (LDLT).
Matrix solve_symmetric(const Matrix& a, const Matrix& b);

}  // namespace eigenveil::detail
