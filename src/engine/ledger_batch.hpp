#pragma once

#include <string_view>
#include <vector>

#include "ledger/outlook.hpp"

namespace eigenveil {

/// Releases of a batch, JSON: a list of {"task": "pca", "method": "gauss", "epsilon": 1, "delta":
/// 1e-6, "count": 2, ...}. What is not said is what the command of the task takes: its method, its
/// neighbours, one row, k 1 of 10 columns. `terms`: a person's ledger takes releases by its column.
Result<std::vector<WantedRelease>> wanted_releases(std::string_view json, const LedgerTerms& terms);

}  // namespace eigenveil
