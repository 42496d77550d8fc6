#pragma once

#include <string>

#include "engine/analysis.hpp"

namespace eigenveil {

/// Estimates as tables of text, for a terminal.
std::string in_words(const AnalysedMoments& found);
std::string in_words(const AnalysedRegression& found, const RegressionRequest& request);
std::string in_words(const AnalysedComponents& all);

}  // namespace eigenveil
