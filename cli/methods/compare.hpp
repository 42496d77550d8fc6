#pragma once

#include <string>
#include <vector>

#include "cli/methods/method.hpp"

namespace eigenveil::cli {

/// Every method that can predict, best first; those without a prediction last.
std::vector<ComparedMethod> compared(const MethodChoice& choice, const AssumedSetting& setting);

/// The command.
Outcome compare_methods(const PlanRequest& request, const MethodChoice& choice);

}  // namespace eigenveil::cli
