#pragma once

#include "eigenveil/engine/method.hpp"
#include "ledger/charge.hpp"
#include "mechanism/histogram/noisy_counts.hpp"

namespace eigenveil {

/// What a plan costs; public. `seeded`: known randomness is no privacy.
ReleaseCost cost_of(const Plan& plan, bool seeded);

/// The same before there is a plan, for methods that plan with the number of rows: what every plan
/// for the request states. Refused for methods that cannot say.
Result<ReleaseCost> stated_cost(const Method& method, const Request& request, bool seeded);

/// Whether a plan states what was charged for it before: relation, loss, basis, assumptions.
Result<void> check_charged(const ReleaseCost& charged, const Plan& plan);

/// Laplace and Wishart noise, whose scales are rounded up (kPureMarginUlps).
bool has_pure_margin(const ReleaseCost& cost);

/// What a release of noisy counts costs: scores and bounds.
ReleaseCost cost_of(const CountsPlan& plan, std::string task, const Budget& requested, bool seeded);

}  // namespace eigenveil
