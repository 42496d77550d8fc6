#include "core/decompositions.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>

namespace eigenveil::detail {

SelfAdjointEigen self_adjoint_eigen(const Matrix& matrix, int options) {
  return SelfAdjointEigen(matrix, options);
}

ComplexSelfAdjointEigen self_adjoint_eigen(const Eigen::MatrixXcd& matrix, int options) {
  return ComplexSelfAdjointEigen(matrix, options);
}

Eigen::JacobiSVD<Matrix> jacobi_svd(const Matrix& matrix, unsigned options) {
  return Eigen::JacobiSVD<Matrix>(matrix, options);
}

ThinQr thin_qr(const Matrix& columns) {
  const Eigen::HouseholderQR<Matrix> qr(columns);
  return {qr.householderQ() * Matrix::Identity(columns.rows(), columns.cols()),
          qr.matrixQR().topRows(columns.cols()).triangularView<Eigen::Upper>()};
}

Matrix orthonormal_frame(const Matrix& columns) {
  return Eigen::HouseholderQR<Matrix>(columns).householderQ() *
         Matrix::Identity(columns.rows(), columns.cols());
}

Eigen::MatrixXcd orthonormal_frame(const Eigen::MatrixXcd& columns) {
  return Eigen::HouseholderQR<Eigen::MatrixXcd>(columns).householderQ() *
         Eigen::MatrixXcd::Identity(columns.rows(), columns.cols());
}

Matrix orthogonal_complement(const Matrix& columns) {
  const Eigen::Index rest = columns.rows() - columns.cols();
  Matrix complement = Matrix::Zero(columns.rows(), rest);
  complement.bottomRows(rest).setIdentity();
  complement.applyOnTheLeft(Eigen::HouseholderQR<Matrix>(columns).householderQ());
  return complement;
}

Matrix solve_symmetric(const Matrix& a, const Matrix& b) {
  return a.ldlt().solve(b);
}

}  // namespace eigenveil::detail
