#pragma once

#include "eigenveil/core/result.hpp"
#include "eigenveil/privacy/guarantee.hpp"

namespace eigenveil {

/// One row's (epsilon, delta) so that G of them have `budget`: epsilon/G, and delta over
/// 1 + e^(epsilon/G) + ... + e^((G-1) epsilon/G), rounded down. For mechanisms whose loss is a pair
/// and not one mu.
Result<ApproxDp> pair_per_row(const ApproxDp& budget, int size);

}  // namespace eigenveil
