#pragma once

#include "core/symmetric_eigen.hpp"
#include "mechanism/moment/covariance.hpp"
#include "statistics/bounded_table.hpp"

namespace eigenveil {

/// S = (1/n) sum of x xᵀ over bounded rows, about the public centre, in doubles. Private. With
/// fewer rows than columns it keeps the rows and works with their n x n inner products: nothing p x
/// p is formed.
class SampleCovariance {
 public:
  static SampleCovariance of(const TableOrGram& statistic, Units units);
  static SampleCovariance of(const ExactGram& gram, Units units);
  /// Rows as the columns of a p x n matrix: simulations and tests.
  static SampleCovariance of_columns(Matrix columns);

  Eigen::Index rows() const { return rows_; }
  Eigen::Index dimension() const { return dimension_; }
  /// The `count` largest eigenpairs; vectors are orthonormal to working precision whatever the
  /// rows.
  SymmetricEigen top(Eigen::Index count) const;
  /// The min(n, p) largest eigenvalues, largest first.
  Vector eigenvalues() const;
  /// frameᵀ S frame.
  Matrix compress(const Matrix& frame) const;

 private:
  SampleCovariance(Eigen::Index rows, Eigen::Index dimension)
      : rows_(rows), dimension_(dimension) {}
  Matrix inner_products() const;

  Eigen::Index rows_;
  Eigen::Index dimension_;
  Matrix covariance_;  ///< p x p, or empty
  Matrix columns_;     ///< p x n, or empty
};

}  // namespace eigenveil
