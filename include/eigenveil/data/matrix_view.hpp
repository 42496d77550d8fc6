#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <memory>

#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil {

/// A matrix of doubles somewhere in memory, one row per person: where it lies and how its cells
/// follow each other. Made from what Eigen keeps in memory, whatever its storage order: matrices,
/// arrays, maps, blocks, transposes of them.
/// Refers to the memory, which must outlive it: a matrix that is made in the argument of a call
/// lives long enough, `MatrixView view = Matrix(...)` does not.
class MatrixView {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a function that takes rows takes a matrix.
  template <class Derived>
  requires((Derived::Flags & Eigen::DirectAccessBit) != 0 &&
           std::is_same_v<typename Derived::Scalar, double>)
      MatrixView(const Eigen::DenseBase<Derived>& matrix)
      : data_(matrix.derived().data()), rows_(matrix.rows()), columns_(matrix.cols()) {
    const Eigen::Index inner = matrix.derived().innerStride();
    const Eigen::Index outer = matrix.derived().outerStride();
    row_stride_ = Derived::IsRowMajor ? outer : inner;
    column_stride_ = Derived::IsRowMajor ? inner : outer;
  }

  /// Not for an expression, which lies nowhere in memory (write `.eval()`), and not for other
  /// numbers than doubles (write `.cast<double>().eval()`).
  template <class Derived>
  requires((Derived::Flags & Eigen::DirectAccessBit) == 0 ||
           !std::is_same_v<typename Derived::Scalar, double>)
      MatrixView(const Eigen::DenseBase<Derived>& not_in_memory_or_not_double)
  = delete;

  /// Memory without a type that says its order: rows one after the other.
  static MatrixView row_major(const double* values, std::size_t rows, std::size_t columns) {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    return {Eigen::Map<const RowMajor>(values, static_cast<Eigen::Index>(rows),
                                       static_cast<Eigen::Index>(columns))};
  }

  const double* data() const { return data_; }
  std::size_t rows() const { return static_cast<std::size_t>(rows_); }
  std::size_t columns() const { return static_cast<std::size_t>(columns_); }
  /// In doubles, from a cell to the one below and to the one on its right; a reader takes none that
  /// are negative.
  std::ptrdiff_t row_stride() const { return row_stride_; }
  std::ptrdiff_t column_stride() const { return column_stride_; }
  /// Rows one after the other, without gaps.
  bool is_row_major() const { return column_stride_ == 1 && row_stride_ == columns_; }

 private:
  const double* data_;
  std::ptrdiff_t rows_;
  std::ptrdiff_t columns_;
  std::ptrdiff_t row_stride_ = 0;
  std::ptrdiff_t column_stride_ = 0;
};

/// Reads a matrix in place as readers read files. NaN is missing, an infinity is a bad cell.
[[nodiscard]] Result<std::unique_ptr<RowReader>> read_matrix(
    const MatrixView& matrix, Schema schema, BadCell bad_cell = BadCell::Refuse,
    MissingCell missing = MissingCell::Midpoint);

}  // namespace eigenveil
