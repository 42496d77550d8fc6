#include <cmath>
#include <cstring>
#include <limits>

#include "core/multiversion.hpp"
#include "eigenveil/data/bounding.hpp"

// Hot loops. Sums run in fixed lanes, so that every instruction set adds in the same order; four
// groups of eight, so that one addition need not wait for the last.
#define EIGENVEIL_INLINE inline __attribute__((always_inline))

namespace eigenveil {
namespace {

constexpr std::size_t kLanes = 8;
/// A vector of the compiler's, so that the lanes stay in registers of whatever width there is.
using Lanes [[gnu::vector_size(kLanes * sizeof(double))]] = double;

/// Four roundings lie between a row and its factor; this much more, and a long row with one cell
/// still reaches the bound. The integer check takes back what is too much.
constexpr double kReach = 1.0 + 0x1p-51;

/// What one pass over rows needs, as plain pointers and numbers.
struct Clipping {
  std::size_t dimension;
  const double* midpoints;
  const double* steps_per_value;  // with ranges
  double steps;                   // max_abs
  double row_norm;                // without ranges
  double steps_per_norm;          // without ranges: max_abs / row_norm
  double grid_radius;             // with both: row norm in grid steps
  Int128 norm2_bound;
};

EIGENVEIL_INLINE void add_squares(const double* cells, Lanes& sums) {
  Lanes lanes;
  std::memcpy(&lanes, cells, sizeof(lanes));
  sums += lanes * lanes;
}

EIGENVEIL_INLINE double squared_norm(const double* row, std::size_t dimension) {
  Lanes first{};
  Lanes second{};
  Lanes third{};
  Lanes fourth{};
  std::size_t j = 0;
  for (; j + 4 * kLanes <= dimension; j += 4 * kLanes) {
    add_squares(row + j, first);
    add_squares(row + j + kLanes, second);
    add_squares(row + j + 2 * kLanes, third);
    add_squares(row + j + 3 * kLanes, fourth);
  }
  for (; j + kLanes <= dimension; j += kLanes) {
    add_squares(row + j, first);
  }
  const Lanes sums = (first + second) + (third + fourth);
  double total =
      ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
  for (; j < dimension; ++j) {
    total += row[j] * row[j];
  }
  return total;
}

/// Towards zero; |value| stays below 2^25, and an int conversion is vectorised everywhere.
EIGENVEIL_INLINE double truncate(double value) {
  return static_cast<double>(static_cast<std::int32_t>(value));
}

EIGENVEIL_INLINE void round_scaled(double* row, std::size_t dimension, double factor) {
  for (std::size_t j = 0; j < dimension; ++j) {
    row[j] = truncate(row[j] * factor);
  }
}

/// Steps the largest entry down until |v|^2 <= norm2_bound. Exact, so it decides the sensitivity.
void shrink_to_bound(double* row, std::size_t dimension, Int128 norm2_bound) {
  Int128 excess = -norm2_bound;
  for (std::size_t j = 0; j < dimension; ++j) {
    const auto entry = static_cast<std::int64_t>(row[j]);
    excess += Int128{entry} * entry;
  }
  while (excess > 0) {
    std::size_t largest = 0;
    for (std::size_t j = 1; j < dimension; ++j) {
      largest = std::fabs(row[j]) > std::fabs(row[largest]) ? j : largest;
    }
    const double modulus = std::fabs(row[largest]);
    excess -= 2 * static_cast<std::int64_t>(modulus) - 1;
    row[largest] = std::copysign(modulus - 1.0, row[largest]) + 0.0;
  }
}

/// Sums of squares only grow, and integers are exact up to 2^53: a double sum that is at most
/// norm2_bound < 2^53 never rounded. Any other sum is settled in integers.
EIGENVEIL_INLINE void check_norm(double* row, const Clipping& clipping) {
  constexpr Int128 kExact = Int128{1} << 53U;
  const bool within = clipping.norm2_bound < kExact &&
                      squared_norm(row, clipping.dimension) <=
                          static_cast<double>(static_cast<std::int64_t>(clipping.norm2_bound));
  if (!within) {
    shrink_to_bound(row, clipping.dimension, clipping.norm2_bound);
  }
}

void set_zero(double* row, std::size_t dimension) {
  for (std::size_t j = 0; j < dimension; ++j) {
    row[j] = 0.0;
  }
}

/// Clipped cells in grid steps, before rounding; false if a cell is infinite.
EIGENVEIL_INLINE bool clip_cells(const double* values, const Clipping& clipping, double* row) {
  const double steps = clipping.steps;
  std::int64_t infinite = 0;
  for (std::size_t j = 0; j < clipping.dimension; ++j) {
    const double value = values[j];
    double cell = (value - clipping.midpoints[j]) * clipping.steps_per_value[j];
    cell = cell > steps ? steps : cell;
    cell = cell < -steps ? -steps : cell;
    row[j] = cell == cell ? cell : 0.0;
    infinite |= std::fabs(value) > std::numeric_limits<double>::max() ? 1 : 0;
  }
  return infinite == 0;
}

EIGENVEIL_MULTIVERSION
void clip_to_ranges(const double* values, std::size_t rows, const Clipping& clipping, double* out) {
  const std::size_t dimension = clipping.dimension;
  for (std::size_t i = 0; i < rows; ++i, values += dimension, out += dimension) {
    if (!clip_cells(values, clipping, out)) {
      set_zero(out, dimension);
    }
    round_scaled(out, dimension, 1.0);
  }
}

EIGENVEIL_MULTIVERSION
void clip_to_ranges_and_norm(const double* values, std::size_t rows, const Clipping& clipping,
                             double* out) {
  const std::size_t dimension = clipping.dimension;
  for (std::size_t i = 0; i < rows; ++i, values += dimension, out += dimension) {
    if (!clip_cells(values, clipping, out)) {
      set_zero(out, dimension);
      continue;
    }
    const double norm = std::sqrt(squared_norm(out, dimension));
    round_scaled(out, dimension,
                 norm > clipping.grid_radius ? kReach * (clipping.grid_radius / norm) : 1.0);
    check_norm(out, clipping);
  }
}

/// Any row, however large or small its cells: divides by a power of two first.
void clip_extreme_row(const double* values, const Clipping& clipping, double* row) {
  double largest = 0.0;
  for (std::size_t j = 0; j < clipping.dimension; ++j) {
    const double cell = 0.5 * values[j] - 0.5 * clipping.midpoints[j];  // halves cannot overflow
    row[j] = cell == cell ? cell : 0.0;
    largest = std::fmax(largest, std::fabs(row[j]));
  }
  if (largest == 0.0 || std::isinf(largest)) {
    set_zero(row, clipping.dimension);
    return;
  }
  const int exponent = std::ilogb(largest);
  for (std::size_t j = 0; j < clipping.dimension; ++j) {
    row[j] = std::scalbn(row[j], -exponent);
  }
  const double norm = std::sqrt(squared_norm(row, clipping.dimension));  // in [1, 2 sqrt p]
  const double bound = std::scalbn(0.5 * clipping.row_norm, -exponent);  // 0 and infinity are fine
  round_scaled(row, clipping.dimension, kReach * (clipping.steps / std::fmax(norm, bound)));
}

EIGENVEIL_MULTIVERSION
void clip_to_norm(const double* values, std::size_t rows, const Clipping& clipping, double* out) {
  const std::size_t dimension = clipping.dimension;
  for (std::size_t i = 0; i < rows; ++i, values += dimension, out += dimension) {
    for (std::size_t j = 0; j < dimension; ++j) {
      const double cell = values[j] - clipping.midpoints[j];
      out[j] = cell == cell ? cell : 0.0;
    }
    const double norm2 = squared_norm(out, dimension);
    // Below 2^1000 no square overflowed; squares that vanished belong to cells far below the norm.
    if (norm2 <= 0x1p1000 && clipping.row_norm >= 0x1p-400) {
      const double norm = std::sqrt(norm2);
      round_scaled(
          out, dimension,
          norm > clipping.row_norm ? kReach * (clipping.steps / norm) : clipping.steps_per_norm);
    } else {
      clip_extreme_row(values, clipping, out);
    }
    check_norm(out, clipping);
  }
}

}  // namespace

/// Friend of RowBound: picks the loop for a kind of bound.
class RowClipper {
 public:
  static void run(const RowBound& bound, const double* values, std::size_t rows, double* out) {
    const Clipping clipping{.dimension = bound.dimension(),
                            .midpoints = bound.midpoints_.data(),
                            .steps_per_value = bound.steps_per_value_.data(),
                            .steps = static_cast<double>(bound.max_abs_),
                            .row_norm = bound.row_norm_.value_or(0.0),
                            .steps_per_norm = bound.steps_per_norm_,
                            .grid_radius = bound.grid_radius_,
                            .norm2_bound = bound.norm2_bound_};
    if (!bound.has_ranges_) {
      clip_to_norm(values, rows, clipping, out);
    } else if (bound.row_norm_) {
      clip_to_ranges_and_norm(values, rows, clipping, out);
    } else {
      clip_to_ranges(values, rows, clipping, out);
    }
  }
};

BoundedRows BoundedRows::clip(const RowBound& bound, const double* values, std::size_t rows,
                              std::vector<double> reuse) {
  reuse.resize(rows * bound.dimension());
  RowClipper::run(bound, values, rows, reuse.data());
  return BoundedRows(rows, bound.dimension(), std::move(reuse));
}

}  // namespace eigenveil
