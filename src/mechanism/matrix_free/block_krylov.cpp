#include "mechanism/matrix_free/block_krylov.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/blas.hpp"
#include "core/symmetric_eigen.hpp"
#include "eigenveil/core/cancellation.hpp"

namespace eigenveil {
namespace {

/// Directions shorter than this, after what is known was taken out of unit vectors, are rounding.
constexpr double kSmallest = 1e-12;

/// Columns times a matrix T that makes them orthonormal; directions that are rounding are left
/// out. T has a column for each that stays.
Matrix orthonormalising(const Matrix& columns) {
  const Matrix gram = transposed_product(columns, columns);
  const Vector lengths = gram.diagonal().cwiseMax(0.0).cwiseSqrt();
  Vector inverse = Vector::Zero(lengths.size());
  for (Eigen::Index j = 0; j < lengths.size(); ++j) {
    inverse[j] = lengths[j] > 0.0 ? 1.0 / lengths[j] : 0.0;
  }
  const SymmetricEigen eigen = symmetric_eigen(inverse.asDiagonal() * gram * inverse.asDiagonal());
  Eigen::Index kept = 0;
  while (kept < eigen.values.size() && eigen.values[kept] > kSmallest) {
    ++kept;
  }
  return inverse.asDiagonal() * eigen.vectors.leftCols(kept) *
         eigen.values.head(kept).cwiseSqrt().cwiseInverse().asDiagonal();
}

}  // namespace

BlockKrylov::BlockKrylov(Eigen::Index dimension, Eigen::Index block, Eigen::Index most)
    : block_(block),
      most_(std::min(dimension, std::max(most, 4 * block))),
      basis_(dimension, most_),
      products_(dimension, most_),
      projected_(Matrix::Zero(most_, most_)) {}

void BlockKrylov::add(Matrix block, Matrix product) {
  stop_if_cancelled();
  if (size_ + block.cols() > most_) {
    restart();
  }
  // Twice is enough (Kahan and Parlett); the products follow every combination. Once more after
  // the columns were made orthonormal, which magnifies what was left of the basis in them.
  for (int round = 0; round < 3; ++round) {
    const auto basis = basis_.leftCols(size_);
    const Matrix inside = basis.transpose() * block;
    block.noalias() -= basis * inside;
    product.noalias() -= products_.leftCols(size_) * inside;
    if (round > 0) {
      const Matrix transform = orthonormalising(block);
      block = block * transform;
      product = product * transform;
    }
  }
  const Eigen::Index added = std::min(block.cols(), most_ - size_);
  basis_.middleCols(size_, added) = block.leftCols(added);
  products_.middleCols(size_, added) = product.leftCols(added);
  const Eigen::Index size = size_ + added;
  const Matrix beside = basis_.leftCols(size).transpose() * products_.middleCols(size_, added);
  projected_.block(0, size_, size, added) = beside;
  projected_.block(size_, 0, added, size) = beside.transpose();
  size_ = size;
  solve();
}

void BlockKrylov::solve() {
  SymmetricEigen eigen = symmetric_eigen(projected_.topLeftCorner(size_, size_));
  values_ = std::move(eigen.values);
  weights_ = std::move(eigen.vectors);
  const Eigen::Index best = std::min(block_, size_);
  errors_ = products_.leftCols(size_) * weights_.leftCols(best) -
            vectors(best) * values_.head(best).asDiagonal();
  residuals_ = errors_.colwise().norm();
}

void BlockKrylov::restart() {
  const Eigen::Index kept = std::min(size_, std::max(block_, most_ - 2 * block_));
  const Matrix best = weights_.leftCols(kept);
  basis_.leftCols(kept) = (basis_.leftCols(size_) * best).eval();
  products_.leftCols(kept) = (products_.leftCols(size_) * best).eval();
  projected_.setZero();
  projected_.diagonal().head(kept) = values_.head(kept);
  size_ = kept;
}

Matrix BlockKrylov::next() {
  const double largest = std::max(values_.cwiseAbs().maxCoeff(), 0x1p-1000);
  std::vector<Eigen::Index> open;
  for (Eigen::Index j = 0; j < errors_.cols(); ++j) {
    if (residuals_[j] > kSmallest * largest) {
      open.push_back(j);
    }
  }
  Matrix block = errors_(Eigen::all, open);
  for (int round = 0; round < 2; ++round) {
    const auto basis = basis_.leftCols(size_);
    block -= (basis * (basis.transpose() * block)).eval();
    block = block * orthonormalising(block);
  }
  return block;
}

Matrix BlockKrylov::vectors(Eigen::Index count) const {
  return basis_.leftCols(size_) * weights_.leftCols(count);
}

}  // namespace eigenveil
