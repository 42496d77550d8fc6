#pragma once

#include <memory>
#include <string>
#include <vector>

#include "eigenveil/data/bounding.hpp"
#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil {

/// A table of allele counts with every column standardised by a public frequency f of its counted
/// allele: (count - 2f) / sqrt(2f (1 - f)), variance 1 in Hardy-Weinberg proportions. A missing
/// cell stays missing, and so counts as the mean 2f under a bound about zero. The frequencies must
/// come from outside of the table: its own would leak. The last `others` columns stay as they are.
Result<std::unique_ptr<RowReader>> standardise_genotypes(std::unique_ptr<RowReader> counts,
                                                         std::vector<double> frequencies,
                                                         std::size_t others = 0);

/// Where standardised counts 0..2 lie, widened to be symmetric about zero. `names` are for
/// messages.
Result<std::vector<ColumnRange>> standardised_ranges(const std::vector<std::string>& names,
                                                     const std::vector<double>& frequencies);

}  // namespace eigenveil
