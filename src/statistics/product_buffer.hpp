#pragma once

#include <cstddef>

#include "eigenveil/core/integers.hpp"
#include "statistics/own_pages.hpp"

namespace eigenveil {

/// The upper triangle of a sum of v vᵀ, in floating-point numbers that BLAS adds to.
///
/// In the middle it is kept in LAPACK's rectangular full packed format: half the memory of a
/// square, and BLAS still works on whole blocks. With h = p / 2, entry (i, j) of the right half of
/// the columns (j >= h) lies at (i, j - h), and one of the left half, transposed, below it at (h +
/// 1 + j, i). A plain square is faster: for narrow tables, where it is small, and for wide ones, of
/// whose columns the lower part is whole pages that are never written.
template <class Real>
class ProductBuffer {
 public:
  /// Without memory until the first rows come.
  explicit ProductBuffer(std::size_t dimension);
  static std::size_t bytes(std::size_t dimension);

  /// Adds v vᵀ for `count` rows v, stored row by row.
  void add(const Real* rows, std::size_t count);
  /// to[i] += entry (i, column) for all i <= column; entries must be whole numbers below 2^63.
  void add_column(std::size_t column, Int128* to) const;
  /// All entries zero.
  void clear();

 private:
  static bool is_packed(std::size_t dimension);
  static std::size_t entries(std::size_t dimension);

  std::size_t dimension_;
  OwnPages<Real> entries_;
};

}  // namespace eigenveil
