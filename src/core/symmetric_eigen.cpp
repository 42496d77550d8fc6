#include "eigenveil/core/symmetric_eigen.hpp"

#include <lapacke.h>

#include <cassert>
#include <utility>
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
  matrix.rowwise().reverseInPlace();
  return {ascending.reverse(), std::move(matrix)};
}

SymmetricEigen leading_eigenvectors(Matrix matrix, Eigen::Index count) {
  assert(matrix.rows() == matrix.cols() && "an eigendecomposition needs a square matrix");
  assert(count >= 0 && count <= matrix.rows() && "0 <= count <= dimension");
  const auto p = static_cast<lapack_int>(matrix.rows());
  if (p == 0) {
    return {};
  }
  // matrix = Q T Qᵀ with T tridiagonal; Q stays in `matrix` as reflectors.
  Vector diagonal(p);
  Vector beside(p);
  Vector reflectors(p);
  [[maybe_unused]] lapack_int info =
      LAPACKE_dsytrd(LAPACK_COL_MAJOR, 'U', p, matrix.data(), p, diagonal.data(), beside.data(),
                     reflectors.data());
  assert(info == 0 && "dsytrd always ends");
  Vector values = diagonal;
  info = LAPACKE_dsterf(p, values.data(), Vector(beside).data());
  assert(info == 0 && "dsterf converges on every finite tridiagonal matrix");
  Matrix vectors(p, count);
  if (count > 0) {
    const auto k = static_cast<lapack_int>(count);
    Vector largest(p);
    std::vector<lapack_int> support(2 * static_cast<std::size_t>(count));
    lapack_int found = 0;
    lapack_logical accurate = 1;
    info = LAPACKE_dstemr(LAPACK_COL_MAJOR, 'V', 'I', p, diagonal.data(), beside.data(), 0.0, 0.0,
                          p - k + 1, p, &found, largest.data(), vectors.data(), p, k,
                          support.data(), &accurate);
    assert(info == 0 && found == k && "dstemr converges on every finite tridiagonal matrix");
    info = LAPACKE_dormtr(LAPACK_COL_MAJOR, 'L', 'U', 'N', p, k, matrix.data(), p,
                          reflectors.data(), vectors.data(), p);
    assert(info == 0 && "dormtr always ends");
    vectors.rowwise().reverseInPlace();
  }
  return {values.reverse(), std::move(vectors)};
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
