#pragma once

#include <nlohmann/json.hpp>

#include "cli/methods/request.hpp"
#include "eigenveil/mechanism/low_rank.hpp"
#include "eigenveil/mechanism/orbit_components.hpp"

namespace eigenveil::cli {

/// The numbers of a plan on an orbit, in the order of the JSON. `eigenvalues` is the assumed
/// spectrum of the covariance, empty when none was given.
nlohmann::ordered_json components_facts(const PlanRequest& request, const OrbitComponentsPlan& plan,
                                        const Vector& eigenvalues);
nlohmann::ordered_json low_rank_facts(const PlanRequest& request, const LowRankPlan& plan,
                                      const Vector& eigenvalues);
nlohmann::ordered_json target_facts(const PlanRequest& request, const OrbitPlan& plan);

/// The same in words.
void print_orbit_plan(const PlanRequest& request, const RowBound& bound,
                      const nlohmann::ordered_json& facts);

}  // namespace eigenveil::cli
