#pragma once

#include <memory>

#include "eigenveil/data/bounding.hpp"
#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil {

/// The one column of `row_norms`.
inline constexpr const char* kRowNormColumn = "row_norm";

/// Every row as its norm: of the deviations from the midpoints of `bound`, clipped to its ranges
/// and scaled by them where it has some. Each is computed from its row alone, and always a number:
/// a missing cell is at the midpoint, an infinite one makes the zero row.
std::unique_ptr<RowReader> row_norms(std::unique_ptr<RowReader> table, const RowBound& bound);

}  // namespace eigenveil
