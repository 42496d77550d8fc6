#include "core/hermitian_eigen.hpp"

#include <cassert>
#include <complex>

#include "core/lapacke.hpp"
#include "eigenveil/core/cancellation.hpp"

namespace eigenveil {

HermitianEigen hermitian_eigen(Eigen::MatrixXcd matrix) {
  stop_if_cancelled();
  assert(matrix.rows() == matrix.cols() && "an eigendecomposition needs a square matrix");
  const auto dimension = static_cast<lapack_int>(matrix.rows());
  Vector ascending(matrix.rows());
  if (dimension > 0) {
    [[maybe_unused]] const lapack_int info = LAPACKE_zheevd(
        LAPACK_COL_MAJOR, 'V', 'U', dimension, matrix.data(), dimension, ascending.data());
    assert(info == 0 && "zheevd converges on every finite Hermitian matrix");
  }
  return {ascending.reverse(), matrix.rowwise().reverse()};
}

}  // namespace eigenveil
