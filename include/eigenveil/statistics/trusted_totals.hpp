#pragma once

#include "eigenveil/statistics/exact_gram.hpp"

namespace eigenveil::trusted {

/// The private totals. Only mechanisms may look inside a statistic; a test checks who includes
/// this.
const GramTotals& totals(const ExactGram& gram);

}  // namespace eigenveil::trusted
