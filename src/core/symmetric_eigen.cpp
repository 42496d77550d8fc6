#include "core/symmetric_eigen.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>
#include <vector>

#include "core/lapacke.hpp"
#include "eigenveil/core/cancellation.hpp"

namespace eigenveil {

SymmetricEigen symmetric_eigen(Matrix matrix) {
  stop_if_cancelled();
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

namespace {

/// A tridiagonal matrix: diagonal, and what stands beside it.
struct Tridiagonal {
  Vector diagonal;
  Vector beside;
  lapack_int size() const { return static_cast<lapack_int>(diagonal.size()); }
};

/// Eigenvectors of the `count` largest eigenvalues, by bisection and inverse iteration as in dsyevr
/// (with dstemr the test failed at p = 2 and 10; why was not found out). Empty where inverse
/// iteration did not converge, which it does not promise.
Matrix vectors_by_bisection(const Tridiagonal& matrix, lapack_int count) {
  const lapack_int p = matrix.size();
  Vector values = Vector::Zero(p);  // LAPACKE refuses NaN in all p of them, also behind the found
  std::vector<lapack_int> block(static_cast<std::size_t>(p));
  std::vector<lapack_int> split(static_cast<std::size_t>(p));
  std::vector<lapack_int> failed(static_cast<std::size_t>(count));
  lapack_int found = 0;
  lapack_int splits = 0;
  Matrix vectors = Matrix::Zero(p, count);
  const bool converged = LAPACKE_dstebz('I', 'B', p, 0.0, 0.0, p - count + 1, p, 0.0,
                                        matrix.diagonal.data(), matrix.beside.data(), &found,
                                        &splits, values.data(), block.data(), split.data()) == 0 &&
                         found == count &&
                         LAPACKE_dstein(LAPACK_COL_MAJOR, p, matrix.diagonal.data(),
                                        matrix.beside.data(), count, values.data(), block.data(),
                                        split.data(), vectors.data(), p, failed.data()) == 0;
  if (!converged) {
    return {};
  }
  // dstebz goes block by block: put the largest first.
  std::vector<Eigen::Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return values[a] > values[b]; });
  return vectors(Eigen::all, order);
}

/// The same by divide and conquer, which always converges and makes all of them.
Matrix vectors_by_division(Tridiagonal matrix, lapack_int count) {
  const lapack_int p = matrix.size();
  Matrix all = Matrix::Zero(p, p);
  [[maybe_unused]] const lapack_int info = LAPACKE_dstedc(
      LAPACK_COL_MAJOR, 'I', p, matrix.diagonal.data(), matrix.beside.data(), all.data(), p);
  assert(info == 0 && "dstedc converges on every finite tridiagonal matrix");
  return all.rightCols(count).rowwise().reverse();
}

Matrix tridiagonal_vectors(const Tridiagonal& matrix, lapack_int count) {
  Matrix vectors = vectors_by_bisection(matrix, count);
  return vectors.size() > 0 ? vectors : vectors_by_division(matrix, count);
}

}  // namespace

SymmetricEigen leading_eigenvectors(Matrix matrix, Eigen::Index count) {
  assert(matrix.rows() == matrix.cols() && "an eigendecomposition needs a square matrix");
  assert(count >= 0 && count <= matrix.rows() && "0 <= count <= dimension");
  const auto p = static_cast<lapack_int>(matrix.rows());
  if (p == 0) {
    return {};
  }
  stop_if_cancelled();
  // matrix = Q T Qᵀ with T tridiagonal; Q stays in `matrix` as reflectors.
  Tridiagonal middle{Vector::Zero(p), Vector::Zero(p)};
  Vector reflectors = Vector::Zero(p);
  [[maybe_unused]] lapack_int info =
      LAPACKE_dsytrd(LAPACK_COL_MAJOR, 'U', p, matrix.data(), p, middle.diagonal.data(),
                     middle.beside.data(), reflectors.data());
  assert(info == 0 && "dsytrd always ends");
  stop_if_cancelled();
  Vector values = middle.diagonal;
  info = LAPACKE_dsterf(p, values.data(), Vector(middle.beside).data());
  assert(info == 0 && "dsterf converges on every finite tridiagonal matrix");
  Matrix vectors(p, count);
  if (count > 0) {
    vectors = tridiagonal_vectors(middle, static_cast<lapack_int>(count));
    info = LAPACKE_dormtr(LAPACK_COL_MAJOR, 'L', 'U', 'N', p, static_cast<lapack_int>(count),
                          matrix.data(), p, reflectors.data(), vectors.data(), p);
    assert(info == 0 && "dormtr always ends");
  }
  return {values.reverse(), std::move(vectors)};
}

SymmetricEigen largest_eigenpairs(Matrix matrix, Eigen::Index count) {
  assert(matrix.rows() == matrix.cols() && "an eigendecomposition needs a square matrix");
  assert(count >= 0 && count <= matrix.rows() && "0 <= count <= dimension");
  stop_if_cancelled();
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

double nuclear_norm(const Matrix& matrix) {
  return symmetric_eigen(matrix).values.cwiseAbs().sum();
}

}  // namespace eigenveil
