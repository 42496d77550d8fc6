#pragma once

#include "cli/methods/method.hpp"
#include "mechanism/comparison/comparison.hpp"

namespace eigenveil::cli {

/// Every method of the task on the assumed setting.
MethodComparison compared(const MethodChoice& choice, const AssumedSetting& setting);

/// The command.
Outcome compare_methods(const PlanRequest& request, const MethodChoice& choice);

}  // namespace eigenveil::cli
