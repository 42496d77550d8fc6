#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

#include "mechanism/orbit/low_rank.hpp"
#include "mechanism/orbit/orbit_components.hpp"

namespace eigenveil {

/// A table nobody has read.
struct OrbitTable {
  std::string task;
  double rows = 0.0;
};

/// What the second moment inside a subspace costs one row, under the name of its loss.
std::pair<std::string, double> variance_parameter(const PerRowLoss& beside);
/// And what noisy eigenvalues cost.
std::pair<std::string, double> eigenvalue_parameter(const PerRowLoss& beside);

/// The numbers of a plan on an orbit, in the order of the JSON. `eigenvalues` is the assumed
/// spectrum of the covariance, empty when none was given. The Python package uses them too.
nlohmann::ordered_json components_facts(const OrbitTable& table, const OrbitComponentsPlan& plan,
                                        const Vector& eigenvalues);
nlohmann::ordered_json low_rank_facts(const OrbitTable& table, const LowRankPlan& plan,
                                      const Vector& eigenvalues);
nlohmann::ordered_json target_facts(const OrbitTable& table, const OrbitPlan& plan);

}  // namespace eigenveil
