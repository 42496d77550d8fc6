#include "mechanism/moment/sample_covariance.hpp"

#include <algorithm>

#include "core/blas.hpp"
#include "core/decompositions.hpp"
#include "eigenveil/statistics/trusted_totals.hpp"

namespace eigenveil {
namespace {

/// From a grid integer of column j to the units asked for: unit * d_j.
Vector value_of_step(const RowBound& bound, Units units) {
  return bound.unit() * column_scales(bound, units);
}

Matrix full(Matrix upper) {
  upper.triangularView<Eigen::StrictlyLower>() = upper.transpose();
  return upper;
}

}  // namespace

SampleCovariance SampleCovariance::of(const ExactGram& gram, Units units) {
  const GramTotals& totals = trusted::totals(gram);
  const auto p = static_cast<Eigen::Index>(gram.dimension());
  SampleCovariance sample(static_cast<Eigen::Index>(totals.count), p);
  const Vector scale = value_of_step(gram.bound(), units);
  const double n = std::max(1.0, static_cast<double>(totals.count));
  sample.covariance_.resize(p, p);
  std::size_t next = 0;
  for (Eigen::Index column = 0; column < p; ++column) {
    for (Eigen::Index row = 0; row <= column; ++row) {
      sample.covariance_(row, column) = sample.covariance_(column, row) =
          static_cast<double>(totals.products[next++]) / n * scale[row] * scale[column];
    }
  }
  return sample;
}

SampleCovariance SampleCovariance::of(const TableOrGram& statistic, Units units) {
  if (const auto* gram = std::get_if<ExactGram>(&statistic)) {
    return of(*gram, units);
  }
  const auto& table = std::get<BoundedTable>(statistic);
  const auto p = static_cast<Eigen::Index>(table.bound().dimension());
  const auto n = static_cast<Eigen::Index>(table.rows());
  const Eigen::Map<const Matrix> steps(trusted::rows(table).data(), p, n);
  return of_columns(value_of_step(table.bound(), units).asDiagonal() * steps);
}

SampleCovariance SampleCovariance::of_columns(Matrix columns) {
  const Eigen::Index n = columns.cols();
  const Eigen::Index p = columns.rows();
  SampleCovariance sample(n, p);
  if (n < p) {
    sample.columns_ = std::move(columns);
    return sample;
  }
  Matrix totals = Matrix::Zero(p, p);
  add_outer_products(columns.data(), static_cast<std::size_t>(p), static_cast<std::size_t>(n),
                     totals.data());
  sample.covariance_ = full(std::move(totals)) / static_cast<double>(n);
  return sample;
}

Matrix SampleCovariance::inner_products() const {
  Matrix totals = Matrix::Zero(rows_, rows_);
  add_inner_products(columns_.data(), static_cast<std::size_t>(dimension_),
                     static_cast<std::size_t>(rows_), totals.data());
  return full(std::move(totals)) / std::max<double>(1.0, static_cast<double>(rows_));
}

SymmetricEigen SampleCovariance::top(Eigen::Index count) const {
  if (covariance_.size() > 0) {
    return largest_eigenpairs(covariance_, count);
  }
  // X = sum of s u wᵀ: inner products have the vectors w, and X w = s u. Householder QR keeps the
  // frame orthonormal even where s is zero; the sign of a column does not matter.
  const SymmetricEigen inner = largest_eigenpairs(inner_products(), std::min(count, rows_));
  Matrix images = Matrix::Zero(dimension_, count);
  images.leftCols(inner.vectors.cols()) = columns_ * inner.vectors;
  Vector values = Vector::Zero(count);
  values.head(inner.values.size()) = inner.values;
  return {values, detail::orthonormal_frame(images)};
}

Vector SampleCovariance::eigenvalues() const {
  return symmetric_eigen(covariance_.size() > 0 ? covariance_ : inner_products())
      .values.cwiseMax(0.0);
}

Matrix SampleCovariance::compress(const Matrix& frame) const {
  if (covariance_.size() > 0) {
    return frame.transpose() * covariance_ * frame;
  }
  const Matrix scores = columns_.transpose() * frame;
  return scores.transpose() * scores / std::max<double>(1.0, static_cast<double>(rows_));
}

}  // namespace eigenveil
