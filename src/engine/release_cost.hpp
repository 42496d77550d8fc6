#pragma once

#include "eigenveil/engine/method.hpp"
#include "ledger/charge.hpp"

namespace eigenveil {

/// What a plan costs; public. Known randomness is no privacy.
ReleaseCost cost_of(const Plan& plan, const RandomStream& stream);

}  // namespace eigenveil
