#pragma once

#include "engine/methods/orbit_plan_facts.hpp"

namespace eigenveil {

/// Whether an orbit draw or noise on the entries, by the default method of this budget (wishart
/// where it is pure, gauss otherwise), gives the better low-rank matrix, from public facts: the
/// error of a drawn direction grows with the leading eigenvalue, noise on the entries does not, so
/// there is one eigenvalue above which noise on the entries is smaller (first order,
/// docs/proofs/orbit.md). Adds `noise_method`, `noise_smaller_above_eigenvalue`, with an assumed
/// spectrum `predicted_error_f2_noise`, and `recommended_method` where the facts decide. Real rows
/// only.
void add_noise_rival(nlohmann::ordered_json& facts, const OrbitTable& table,
                     const LowRankPlan& plan, const Vector& eigenvalues);

}  // namespace eigenveil
