#pragma once

#include "eigenveil/data/bounding.hpp"
#include "eigenveil/report/document.hpp"

namespace eigenveil::cli {

/// Parameters that every release states: the budget asked for, and the bound on the rows.
void add_budget(Fields& fields, const Budget& budget);
void add_bound(Fields& fields, const RowBound& bound);

}  // namespace eigenveil::cli
