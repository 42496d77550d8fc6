#pragma once

#include "eigenveil/engine/method.hpp"
#include "mechanism/sharp/sharp.hpp"

namespace eigenveil {

/// The plan of method sharp: mu for a beta or beta for a mu, plateau, predicted errors, worst-case
/// epsilon, and whether calibrating on the data would be worth it, for an assumed spectrum.
Result<PlanFacts> sharp_outlook(const Request& request, const AssumedTable& table);

double calibration_share(const Request& request);
Result<SharpPlan> make_sharp_plan(const Request& request, const RowBound& bound);

}  // namespace eigenveil
