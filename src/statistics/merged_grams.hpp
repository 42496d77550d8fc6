#pragma once

#include <string>
#include <vector>

#include "eigenveil/statistics/exact_gram.hpp"

namespace eigenveil {

/// Refuses one file under two names: equal totals may be those of other rows, never those of one
/// file.
Result<void> check_each_once(const std::vector<std::string>& paths);

/// One table from the .gram files of its parts, each named once, under whatever name: counting rows
/// twice would break the guarantee. Errors name the file. Unless `incomplete`, no part of a run may
/// be missing.
Result<ExactGram> merged_grams(const std::vector<std::string>& paths,
                               EqualTotals equal = EqualTotals::Refuse, bool incomplete = false);

}  // namespace eigenveil
