#include "random/haar.hpp"

#include <cassert>
#include <complex>

#include "core/lapacke.hpp"
#include "random/normal.hpp"

namespace eigenveil {
namespace {

using Complex = std::complex<double>;

/// Leaves R's diagonal on the diagonal of `a` and the reflectors below it.
void factor(Matrix& a, Vector& reflectors) {
  LAPACKE_dgeqrf(LAPACK_COL_MAJOR, static_cast<lapack_int>(a.rows()),
                 static_cast<lapack_int>(a.cols()), a.data(), static_cast<lapack_int>(a.rows()),
                 reflectors.data());
}
void factor(Eigen::MatrixXcd& a, Eigen::VectorXcd& reflectors) {
  LAPACKE_zgeqrf(LAPACK_COL_MAJOR, static_cast<lapack_int>(a.rows()),
                 static_cast<lapack_int>(a.cols()), a.data(), static_cast<lapack_int>(a.rows()),
                 reflectors.data());
}

void expand(Matrix& a, const Vector& reflectors) {
  const auto columns = static_cast<lapack_int>(a.cols());
  const auto rows = static_cast<lapack_int>(a.rows());
  LAPACKE_dorgqr(LAPACK_COL_MAJOR, rows, columns, columns, a.data(), rows, reflectors.data());
}
void expand(Eigen::MatrixXcd& a, const Eigen::VectorXcd& reflectors) {
  const auto columns = static_cast<lapack_int>(a.cols());
  const auto rows = static_cast<lapack_int>(a.rows());
  LAPACKE_zungqr(LAPACK_COL_MAJOR, rows, columns, columns, a.data(), rows, reflectors.data());
}

/// Householder QR fixes the phases of R's diagonal by a rule that depends on the matrix; moving
/// them into Q makes the factorisation unique, hence Q invariant under rotations.
template <typename Scalar>
Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> frame_of_gaussians(
    Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> gaussians) {
  assert(gaussians.cols() >= 1 && gaussians.cols() <= gaussians.rows() && "a frame is tall");
  Eigen::Matrix<Scalar, Eigen::Dynamic, 1> reflectors(gaussians.cols());
  factor(gaussians, reflectors);
  Eigen::Matrix<Scalar, Eigen::Dynamic, 1> phases = gaussians.diagonal();
  for (Scalar& phase : phases) {
    phase /= std::abs(phase);
  }
  expand(gaussians, reflectors);
  return gaussians * phases.asDiagonal();
}

}  // namespace

Matrix haar_frame(RandomStream& stream, Eigen::Index rows, Eigen::Index columns) {
  Matrix gaussians(rows, columns);
  fill_standard_normal(stream, {gaussians.data(), static_cast<std::size_t>(gaussians.size())});
  return frame_of_gaussians<double>(std::move(gaussians));
}

Eigen::MatrixXcd complex_haar_frame(RandomStream& stream, Eigen::Index rows, Eigen::Index columns) {
  Matrix gaussians(2 * rows, columns);
  fill_standard_normal(stream, {gaussians.data(), static_cast<std::size_t>(gaussians.size())});
  Eigen::MatrixXcd complex_gaussians(rows, columns);
  complex_gaussians.real() = gaussians.topRows(rows);
  complex_gaussians.imag() = gaussians.bottomRows(rows);
  return frame_of_gaussians<Complex>(std::move(complex_gaussians));
}

}  // namespace eigenveil
