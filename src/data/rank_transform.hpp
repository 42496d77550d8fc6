#pragma once

#include <memory>
#include <span>
#include <vector>

#include "eigenveil/core/result.hpp"
#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil {

/// Average ranks of one column (ties share the mean of their ranks), centred and scaled to [-1, 1]:
/// 2/(n-1) (rank - (n+1)/2). Twice a rank is an integer, so every comparison and sum is exact; one
/// division rounds. Missing cells (NaN) are not ranked and become 0, the midpoint; a column with a
/// single value is all 0.
std::vector<double> centred_ranks(std::span<const double> column);

/// The rest of a table with every column replaced by its centred ranks: all columns then lie in
/// [-1, 1] and a row has squared norm at most p. Needs the whole table in memory, because a rank
/// depends on every row; for the same reason one row moves the ranks of all others, and only the
/// asymptotic methods account for that (docs/proofs/sharp.md).
Result<RawRows> rank_transform(RowReader& reader);

/// The same as a reader: the table is read to its end when the first rows are asked for.
std::unique_ptr<RowReader> ranked(std::unique_ptr<RowReader> table);

}  // namespace eigenveil
