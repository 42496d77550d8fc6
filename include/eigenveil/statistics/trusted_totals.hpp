#pragma once

#include <span>

#include "eigenveil/statistics/exact_gram.hpp"

namespace eigenveil {
class BoundedTable;
}

namespace eigenveil::trusted {

/// The private totals, for mechanisms alone: whatever is computed from them is private until noise
/// has been added that fits its sensitivity. In this tree a test checks who includes this.
const GramTotals& totals(const ExactGram& gram);
/// The private rows of a table kept in memory, row-major grid integers.
std::span<const double> rows(const BoundedTable& table);

}  // namespace eigenveil::trusted
