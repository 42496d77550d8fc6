#pragma once

#include <nlohmann/json.hpp>

#include "cli/methods/request.hpp"

namespace eigenveil::cli {

/// The facts of a plan of method orbit in words.
void print_orbit_plan(const PlanRequest& request, const RowBound& bound,
                      const nlohmann::ordered_json& facts);

}  // namespace eigenveil::cli
