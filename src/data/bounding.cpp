#include "eigenveil/data/bounding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/bytes.hpp"
#include "core/outward.hpp"
#include "core/parameter_names.hpp"

namespace eigenveil {
namespace {

// Far from overflow and underflow, so that unit(), radius() and a few products of them are normal.
constexpr double kSmallestBound = 1e-120;
constexpr double kLargestBound = 1e120;

bool in_supported_range(double value) {
  return value >= kSmallestBound && value <= kLargestBound;  // false for NaN
}

double multiply_up(double a, double b) {
  const double product = a * b;
  return std::fma(a, b, -product) > 0.0 ? up(product) : product;
}

double multiply_down(double a, double b) {
  const double product = a * b;
  return std::fma(a, b, -product) < 0.0 ? down(product) : product;
}

/// floor(value^2), exactly, for 0 <= value < 2^50.
Int128 floor_of_square(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  const auto mantissa = static_cast<UInt128>(std::ldexp(fraction, 53));
  const int shift = 2 * (53 - exponent);  // value = mantissa * 2^(exponent - 53)
  return shift >= 128 ? 0 : static_cast<Int128>((mantissa * mantissa) >> shift);
}

/// Not less than steps / length, so that `length` itself reaches `steps` after rounding.
double steps_per(double length, double steps) {
  const double quotient = steps / length;
  return std::fma(quotient, length, -steps) < 0.0 ? up(quotient) : quotient;
}

double sqrt_up(Int128 value) {
  const double rounded = static_cast<double>(value);
  const double root = std::sqrt(rounded);
  const auto whole = static_cast<Int128>(root);
  if (whole * whole == value) {
    return static_cast<double>(whole);
  }
  return up(std::sqrt(up(rounded)));
}

std::string column_called(std::span<const std::string> names, std::size_t j) {
  return j < names.size() ? fmt::format("'{}'", shown(names[j])) : fmt::format("{}", j + 1);
}

}  // namespace

Result<RowBound> RowBound::row_norm(std::size_t dimension, double radius, std::int64_t max_abs,
                                    std::vector<double> center) {
  if (dimension < 1 || dimension > kLargestDimension) {
    return bad_request(fmt::format("a table needs between 1 and {} columns, not {}",
                                   kLargestDimension, dimension));
  }
  if (!center.empty() && center.size() != dimension) {
    return bad_request(fmt::format("the center has {} entries but the table has {} columns",
                                   center.size(), dimension),
                       "center");
  }
  RowBound asked;
  asked.max_abs_ = max_abs;
  asked.row_norm_ = radius;
  asked.midpoints_ = std::move(center);
  asked.midpoints_.resize(dimension, 0.0);
  asked.half_widths_.assign(dimension, 1.0);
  return derive(std::move(asked));
}

Result<RowBound> RowBound::ranges(std::vector<ColumnRange> ranges, std::optional<double> radius,
                                  std::int64_t max_abs, std::span<const std::string> names) {
  RowBound asked;
  asked.has_ranges_ = true;
  asked.max_abs_ = max_abs;
  asked.row_norm_ = radius;
  for (std::size_t j = 0; j < ranges.size(); ++j) {
    const auto [low, high] = ranges[j];
    if (!std::isfinite(low) || !std::isfinite(high) || !(low < high)) {
      return bad_request(
          fmt::format("the range of column {} must be two finite numbers, the lower one first",
                      column_called(names, j)),
          "range");
    }
    asked.midpoints_.push_back(0.5 * low + 0.5 * high);  // halves first: high - low may overflow
    asked.half_widths_.push_back(0.5 * high - 0.5 * low);
  }
  return derive(std::move(asked), names);
}

Result<RowBound> RowBound::derive(RowBound asked, std::span<const std::string> names) {
  if (asked.dimension() < 1 || asked.dimension() > kLargestDimension) {
    return bad_request(fmt::format("a table needs between 1 and {} columns, not {}",
                                   kLargestDimension, asked.dimension()));
  }
  if (asked.max_abs_ < 1 || asked.max_abs_ > kLargestMaxAbs) {
    return bad_request(fmt::format("{{grid}} must be a whole number from 1 to {}", kLargestMaxAbs),
                       "grid");
  }
  if (asked.row_norm_ && !in_supported_range(*asked.row_norm_)) {
    return bad_request(fmt::format("{{row_norm}} must be a positive number between {:g} and {:g}",
                                   kSmallestBound, kLargestBound),
                       "row_norm");
  }
  for (std::size_t j = 0; j < asked.dimension(); ++j) {
    asked.midpoints_[j] += 0.0;  // -0 and 0 are the same bound and must encode alike
    if (!std::isfinite(asked.midpoints_[j])) {
      return bad_request(
          fmt::format("the center of column {} must be a finite number", column_called(names, j)),
          "center");
    }
    if (!in_supported_range(asked.half_widths_[j])) {
      return bad_request(
          fmt::format("the range of column {} must be between {:g} and {:g} wide",
                      column_called(names, j), 2 * kSmallestBound, 2 * kLargestBound),
          "range");
    }
  }
  const Result<void> derived =
      asked.has_ranges_ ? asked.derive_from_ranges() : asked.derive_from_radius();
  if (!derived) {
    return error_of(derived);
  }
  return asked;
}

Result<void> RowBound::derive_from_radius() {
  const bool unscaled = std::all_of(half_widths_.begin(), half_widths_.end(),
                                    [](double width) { return width == 1; });
  if (!row_norm_ || !unscaled) {
    return bad_request("a row bound needs a row norm or a range for every column");
  }
  const auto steps = static_cast<double>(max_abs_);
  norm2_bound_ = Int128{max_abs_} * max_abs_;
  unit_ = *row_norm_ / steps;
  steps_per_norm_ = steps_per(*row_norm_, steps);
  return {};
}

Result<void> RowBound::derive_from_ranges() {
  const auto steps = static_cast<double>(max_abs_);
  unit_ = 1.0 / steps;
  const Int128 ranges_norm2 = static_cast<Int128>(dimension()) * max_abs_ * max_abs_;
  norm2_bound_ = ranges_norm2;
  for (const double half_width : half_widths_) {
    steps_per_value_.push_back(steps_per(half_width, steps));
  }
  // A norm beyond that of the box, sqrt(p), binds no row: the same bound as without it.
  const double grid_radius =
      row_norm_ ? multiply_down(std::min(*row_norm_, 0x1p20), steps) : 0x1p44;
  if (floor_of_square(grid_radius) >= ranges_norm2) {
    row_norm_.reset();
    return {};
  }
  norm2_bound_ = floor_of_square(grid_radius);
  grid_radius_ = grid_radius;
  if (norm2_bound_ < 1) {
    return bad_request(
        "the row norm is shorter than one step of the grid, so every row would be zero; raise the "
        "row norm or max_abs");
  }
  return {};
}

Result<RowBound> RowBound::with_max_abs(std::int64_t max_abs) const {
  RowBound asked;
  asked.has_ranges_ = has_ranges_;
  asked.max_abs_ = max_abs;
  asked.row_norm_ = row_norm_;
  asked.midpoints_ = midpoints_;
  asked.half_widths_ = half_widths_;
  return derive(std::move(asked));
}

double RowBound::radius() const {
  return multiply_up(sqrt_up(norm2_bound_), unit_);
}

std::string RowBound::encode() const {
  ByteWriter bytes;
  bytes.integer(has_ranges_ ? 1 : 0);
  bytes.integer(static_cast<std::uint64_t>(max_abs_));
  bytes.integer(row_norm_ ? 1 : 0);
  bytes.real(row_norm_.value_or(0.0));
  bytes.integer(dimension());
  for (std::size_t j = 0; j < dimension(); ++j) {
    bytes.real(midpoints_[j]);
    bytes.real(half_widths_[j]);
  }
  return std::move(bytes).take();
}

Result<RowBound> RowBound::decode(std::string_view bytes) {
  ByteReader reader(bytes);
  RowBound asked;
  const std::uint64_t has_ranges = reader.integer();
  asked.max_abs_ = static_cast<std::int64_t>(reader.integer());
  const std::uint64_t has_norm = reader.integer();
  const double norm = reader.real();
  const std::uint64_t dimension = reader.integer();
  if (!reader.complete() || has_ranges > 1 || has_norm > 1 || dimension > kLargestDimension ||
      reader.remaining() != 16 * dimension) {
    return bad_request("the stored row bound is damaged");
  }
  asked.has_ranges_ = has_ranges == 1;
  if (has_norm == 1) {
    asked.row_norm_ = norm;
  }
  for (std::uint64_t j = 0; j < dimension; ++j) {
    asked.midpoints_.push_back(reader.real());
    asked.half_widths_.push_back(reader.real());
  }
  return derive(std::move(asked));
}

}  // namespace eigenveil
