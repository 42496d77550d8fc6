#pragma once

#include "cli/options/bound_options.hpp"
#include "cli/options/input_options.hpp"

namespace eigenveil::cli {

/// What the options say of a table; the public files among them are read.
Result<TableSpec> table_spec(const InputOptions& input, const BoundOptions& bounds);

}  // namespace eigenveil::cli
