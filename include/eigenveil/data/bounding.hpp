#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eigenveil/core/integers.hpp"
#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// Public range of one column; cells are clipped to it and mapped to [-1, 1] about its midpoint.
struct ColumnRange {
  double low = -1.0;
  double high = 1.0;
};

/// In which units columns are given back.
enum class Units : std::uint8_t {
  Original,  ///< as in the file
  Scaled,    ///< every column mapped from its public range to [-1, 1]
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
  /// norm2_bound() < 2^69, so no product with a count below 2^53 leaves 128 bits.
  static constexpr std::size_t kLargestDimension = std::size_t{1} << 20U;

  /// --row-norm R: rows (about `center`, zero if empty) are scaled down to norm R when longer.
  [[nodiscard]] static Result<RowBound> row_norm(std::size_t dimension, double radius,
                                                 std::int64_t max_abs = kDefaultMaxAbs,
                                                 std::vector<double> center = {});
  /// --range / --bounds, optionally with a --row-norm in scaled units. `names` of the columns,
  /// where they are known, are for the refusal.
  [[nodiscard]] static Result<RowBound> ranges(std::vector<ColumnRange> ranges,
                                               std::optional<double> radius = {},
                                               std::int64_t max_abs = kDefaultMaxAbs,
                                               std::span<const std::string> names = {});

  /// The same bound on another grid.
  [[nodiscard]] Result<RowBound> with_max_abs(std::int64_t max_abs) const;

  std::size_t dimension() const { return midpoints_.size(); }
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

  /// Binary form, little endian; `decode` refuses whatever the factories would.
  std::string encode() const;
  [[nodiscard]] static Result<RowBound> decode(std::string_view bytes);

 private:
  friend class RowClipper;
  RowBound() = default;
  /// Checks the fields that were asked for and derives the others.
  [[nodiscard]] static Result<RowBound> derive(RowBound asked,
                                               std::span<const std::string> names = {});
  [[nodiscard]] Result<void> derive_from_radius();
  [[nodiscard]] Result<void> derive_from_ranges();

  // asked for
  bool has_ranges_ = false;
  std::int64_t max_abs_ = 0;
  std::optional<double> row_norm_;  ///< absent when the ranges alone bound the row
  std::vector<double> midpoints_;
  std::vector<double> half_widths_;
  // derived
  Int128 norm2_bound_ = 0;
  double unit_ = 0.0;
  double steps_per_norm_ = 0.0;          ///< row norm alone: max_abs / row norm
  double grid_radius_ = 0.0;             ///< row norm after ranges: in grid steps
  std::vector<double> steps_per_value_;  ///< ranges: max_abs / half_width
};

/// Rows on the grid, every one within the bound: the only thing a statistic accepts. Row-major
/// integer-valued doubles.
///
/// The last step is a check of |v|^2 in exact integers, so the sensitivity of every statistic of v
/// holds whatever floating point did before (docs/proofs/second_moment.md). All versions of the
/// code compute the same doubles: rows do not depend on the machine.
class BoundedRows {
 public:
  /// Clips and rounds towards zero. Total, because a failure that depends on a row would itself be
  /// a release: a missing cell (NaN) becomes the midpoint, a row with an infinite cell the zero
  /// row. `reuse` lends its memory.
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
