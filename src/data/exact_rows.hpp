#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/open.hpp"

namespace eigenveil {

/// A table of exact points: whole numbers after the denominators of a row were cleared, which does
/// not move a point out of any linear subspace.
struct ExactRows {
  Schema schema;
  /// One entry per row; an empty one stands for a row that is missing a cell (or, with
  /// BadCell::Midpoint, holds a bad one) or holds a number beyond 2^53, before or after its
  /// denominators are cleared: it counts as the zero point.
  std::vector<std::vector<std::int64_t>> points;
};

/// Reads a whole table exactly. Text cells are whole numbers, fractions a/b with b > 0 or finite
/// decimals, with an exponent or without (12, -3/4, 0.25, 1e3); the other formats must hold whole
/// numbers. Rows are cut as open_rows cuts them; with BadCell::Midpoint a record of another length
/// than the first counts as the zero point where a selected field is absent. `affine` appends the
/// coordinate 1 to every row, so that affine subspaces become linear ones.
Result<ExactRows> read_exact_rows(const std::string& input, const ReadOptions& options,
                                  bool affine);

/// The rest of a table of whole numbers.
Result<ExactRows> read_exact_rows(RowReader& reader, BadCell bad_cell, bool affine);

/// A cell of text as numerator / denominator > 0, both at most 2^53; Beyond: a number, but larger.
struct ExactCell {
  enum class Kind : std::uint8_t { Number, Beyond, Missing, Bad } kind = Kind::Bad;
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
};
ExactCell parse_exact_cell(std::string_view text);

}  // namespace eigenveil
