#pragma once

#include "eigenveil/engine/registry.hpp"
#include "mechanism/comparison/comparison.hpp"

namespace eigenveil {

/// What a comparison rests on: sizes, bound, budget and the assumed spectrum, all checked.
Result<AssumedSetting> assumed_setting(const Request& request, const AssumedTable& table);

/// Every method of the request's task on it, best first.
MethodComparison compare_methods(const Request& request, const AssumedSetting& setting);

}  // namespace eigenveil
