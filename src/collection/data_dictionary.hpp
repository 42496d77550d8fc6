#pragma once

#include <string>
#include <vector>

#include "collection/study.hpp"

namespace eigenveil {

/// Columns of a study from a CSV file `column,low,high,question` (the question may be left out):
/// public information, written by the collector.
Result<std::vector<StudyColumn>> read_data_dictionary(const std::string& path);

}  // namespace eigenveil
