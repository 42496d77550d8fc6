#pragma once

#include <span>

#include "eigenveil/statistics/exact_gram.hpp"
#include "statistics/bounded_table.hpp"

namespace eigenveil::trusted {

/// The private totals. Only mechanisms may look inside a statistic; a test checks who includes
/// this.
const GramTotals& totals(const ExactGram& gram);
/// The private rows of a table kept in memory, row-major grid integers.
std::span<const double> rows(const BoundedTable& table);

}  // namespace eigenveil::trusted
