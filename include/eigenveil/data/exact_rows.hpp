#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eigenveil/data/open.hpp"

namespace eigenveil {

/// A table of exact points: whole numbers after the denominators of a row were cleared, which does
/// not move a point out of any linear subspace.
struct ExactRows {
  Schema schema;
  /// One entry per row; an empty one stands for a row that is missing a cell (or, with
  /// BadCell::Midpoint, holds a bad one) or whose numbers leave 64 bits: it counts as the zero
  /// point.
  std::vector<std::vector<std::int64_t>> points;
};

/// Reads a whole table exactly. Text cells are whole numbers, fractions a/b or finite decimals; the
/// other formats must hold whole numbers below 2^53. `affine` appends the coordinate 1 to every
/// row, so that affine subspaces become linear ones.
Result<ExactRows> read_exact_rows(const std::string& input, const ReadOptions& options,
                                  bool affine);

/// The rest of a table of whole numbers below 2^53.
Result<ExactRows> read_exact_rows(RowReader& reader, BadCell bad_cell, bool affine);

/// A cell of text as numerator / denominator > 0 in 64 bits.
struct ExactCell {
  enum class Kind : std::uint8_t { Number, Missing, Bad } kind = Kind::Bad;
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
};
ExactCell parse_exact_cell(std::string_view text);

}  // namespace eigenveil
