#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "eigenveil/core/integers.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil {

/// Public range of one column; cells are clipped to it and mapped to [-1, 1] about its midpoint.
struct ColumnRange {
  double low = -1.0;
  double high = 1.0;
};

/// What the curator knows about rows without looking, and the integer grid rows are rounded to.
///
/// A bounded row is a vector of integers v, standing for the scaled row unit() * v:
///  - with ranges, scaled cells lie in [-1, 1], unit = 1 / max_abs, |v_i| <= max_abs, |v|^2 <= p
///  max_abs^2;
///  - with a row norm R (alone, or after ranges in scaled units), |v|^2 <= norm2_bound() holds in
///    integers; alone, unit = R / max_abs.
/// Everything here is public; two statistics merge only if it is equal.
class RowBound {
 public:
  static constexpr std::int64_t kDefaultMaxAbs = std::int64_t{1} << 18;
  static constexpr std::int64_t kLargestMaxAbs = std::int64_t{1} << 24;

  /// --row-norm R: rows (about `center`, zero if empty) are scaled down to norm R when longer.
  static Result<RowBound> row_norm(std::size_t dimension, double radius,
                                   std::int64_t max_abs = kDefaultMaxAbs,
                                   std::vector<double> center = {});
  /// --range / --bounds, optionally with a --row-norm in scaled units.
  static Result<RowBound> ranges(std::vector<ColumnRange> ranges, std::optional<double> radius = {},
                                 std::int64_t max_abs = kDefaultMaxAbs);

  std::size_t dimension() const { return dimension_; }
  std::int64_t max_abs() const { return max_abs_; }    ///< |v_i| <= max_abs
  Int128 norm2_bound() const { return norm2_bound_; }  ///< |v|^2 <= norm2_bound, exactly
  double unit() const { return unit_; }                ///< scaled value of one grid step
  /// norm bound of a scaled row, sqrt(norm2_bound) * unit, rounded up
  double radius() const;
  /// Original value of column j = midpoint(j) + half_width(j) * scaled value.
  double midpoint(std::size_t column) const { return midpoints_[column]; }
  double half_width(std::size_t column) const { return half_widths_[column]; }
  bool has_ranges() const { return has_ranges_; }
  friend bool operator==(const RowBound&, const RowBound&) = default;

 private:
  friend class BoundedRows;
  friend class GramFile;
  RowBound() = default;
  std::size_t dimension_ = 0;
  std::int64_t max_abs_ = 0;
  Int128 norm2_bound_ = 0;
  double unit_ = 0.0;
  bool has_ranges_ = false;
  bool clips_norm_ = false;
  std::vector<double> midpoints_;
  std::vector<double> half_widths_;
};

/// Rows on the grid, every one within the bound: the only thing a statistic accepts. Row-major
/// integer-valued doubles.
class BoundedRows {
 public:
  /// Clips and rounds towards zero. Total: missing and non-finite cells become the midpoint (a
  /// row with an infinite or NaN norm becomes the zero row), because a failure that depends on a
  /// row would itself be a release. `reuse` lends its memory.
  static BoundedRows clip(const RowBound& bound, const double* values, std::size_t rows,
                          std::vector<double> reuse = {});

  std::size_t rows() const { return rows_; }
  std::size_t dimension() const { return dimension_; }
  std::span<const double> values() const { return values_; }
  std::vector<double> take_memory() && { return std::move(values_); }

 private:
  BoundedRows(std::size_t rows, std::size_t dimension, std::vector<double> values)
      : rows_(rows), dimension_(dimension), values_(std::move(values)) {}
  std::size_t rows_;
  std::size_t dimension_;
  std::vector<double> values_;
};

}  // namespace eigenveil
