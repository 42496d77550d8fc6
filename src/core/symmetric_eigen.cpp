#include "eigenveil/core/symmetric_eigen.hpp"

#include <lapacke.h>

#include <cassert>
#include <vector>

namespace eigenveil {

SymmetricEigen symmetric_eigen(Matrix matrix) {
  assert(matrix.rows() == matrix.cols() && "an eigendecomposition needs a square matrix");
  const auto dimension = static_cast<lapack_int>(matrix.rows());
  Vector ascending(matrix.rows());
  if (dimension > 0) {
    [[maybe_unused]] const lapack_int info = LAPACKE_dsyevd(
        LAPACK_COL_MAJOR, 'V', 'U', dimension, matrix.data(), dimension, ascending.data());
    assert(info == 0 && "dsyevd converges on every finite symmetric matrix");
  }
  return {ascending.reverse(), matrix.rowwise().reverse()};
}

SymmetricEigen largest_eigenpairs(Matrix matrix, Eigen::Index count) {
  assert(matrix.rows() == matrix.cols() && "an eigendecomposition needs a square matrix");
  assert(count >= 0 && count <= matrix.rows() && "0 <= count <= dimension");
  const auto dimension = static_cast<lapack_int>(matrix.rows());
  // Zero, not left as they come: whatever LAPACK does not fill must not hold earlier memory.
  Vector ascending = Vector::Zero(matrix.rows());
  Matrix vectors = Matrix::Zero(matrix.rows(), count);
  if (count > 0) {
    lapack_int found = 0;
    std::vector<lapack_int> support(2 * static_cast<std::size_t>(count));
    [[maybe_unused]] const lapack_int info =
        LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', 'I', 'U', dimension, matrix.data(), dimension, 0.0,
                       0.0, static_cast<lapack_int>(dimension - count + 1), dimension, 0.0, &found,
                       ascending.data(), vectors.data(), dimension, support.data());
    assert(info == 0 && found == count && "dsyevr converges on every finite symmetric matrix");
  }
  return {ascending.head(count).reverse(), vectors.rowwise().reverse()};
}

}  // namespace eigenveil
