#pragma once

#include "engine/methods/orbit_plan_facts.hpp"

namespace eigenveil {

/// Which of the two pure-epsilon methods for a low-rank matrix has the smaller error, from public
/// facts: the error of a drawn direction grows with the leading eigenvalue, noise on the entries
/// does not, so there is one eigenvalue above which noise on the entries is smaller (first order,
/// docs/proofs/orbit.md). Adds `wishart_smaller_above_eigenvalue`, with an assumed spectrum
/// `predicted_error_f2_wishart`, and `recommended_method` where the facts decide. Real rows only.
void add_wishart_rival(nlohmann::ordered_json& facts, const OrbitTable& table,
                       const LowRankPlan& plan, const Vector& eigenvalues);

}  // namespace eigenveil
