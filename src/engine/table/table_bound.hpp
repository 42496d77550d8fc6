#pragma once

#include <vector>

#include "data/one_hot.hpp"
#include "engine/table/table_spec.hpp"

namespace eigenveil {

/// What a spec says of the columns of a table that was opened: public frequencies, levels, and the
/// bound of rows. Refusals name columns, and come before a row is read.

/// Of the allele that each column counts.
Result<std::vector<double>> frequencies_of(const std::vector<AlleleFrequency>& list,
                                           const Schema& schema);

Result<std::vector<Categories>> levels_of(const TableSpec& spec);

/// Of rows with columns `schema`, of which some are indicators of levels and the others are those
/// of `read`.
Result<RowBound> bound_of(const TableSpec& spec, const Schema& schema, const Schema& read,
                          const std::vector<double>& frequencies);

}  // namespace eigenveil
