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

/// Whether a plan states what was charged for it before: relation, unit, loss, basis, assumptions.
Result<void> check_charged(const ReleaseCost& charged, const Plan& plan);

/// Whether a document states what was promised, and charged, before a row was read: what it says of
/// its guarantee is the same text, with the randomness that was used. Where the cost `tightens`, a
/// smaller loss is let through, and more assumptions; the document says the pair that was charged
/// beside it. Nobody may publish a document that fails.
Result<void> check_kept(const ReleaseCost& promised, const ReleaseDocument& document);

/// What was asked for, and the papers of the method that did it, in a document of the plan.
void state_request(const Plan& plan, ReleaseDocument& document);

/// A pure loss by Laplace or Wishart noise, whose scales are rounded up (kPureMarginUlps).
bool has_pure_margin(const ReleaseCost& cost);

/// What a release of noisy counts costs: scores and bounds.
ReleaseCost cost_of(const CountsPlan& plan, std::string task, const Budget& requested, bool seeded);

}  // namespace eigenveil
