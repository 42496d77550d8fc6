#pragma once

#include <string>
#include <vector>

#include "engine/compare.hpp"
#include "report/figure.hpp"

namespace eigenveil {

/// Comparisons on a table as text for a terminal; it names parameters in braces.
std::string in_words(const Request& request, const AssumedTable& table,
                     const std::vector<NamedComparison>& all);

Figure comparison_figure(const MethodComparison& comparison);

}  // namespace eigenveil
