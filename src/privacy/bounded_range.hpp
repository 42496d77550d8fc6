#pragma once

#include "eigenveil/core/result.hpp"
#include "eigenveil/privacy/calibration.hpp"

namespace eigenveil {

/// A pair of laws has range epsilon if its privacy loss lies in an interval of that length: a draw
/// with density exp(score), whatever normaliser goes with it, where neighbours move the score by
/// amounts that differ by at most epsilon over all outputs. That is more than epsilon-DP.
/// Proofs: docs/proofs/bounded_range.md.

/// Range epsilon is mu-GDP with mu = 2 Phi^-1(e^(epsilon/2) / (1 + e^(epsilon/2))), the mu of half
/// as much pure loss; attained. Rounded up. (Of zCDP it is epsilon²/8: bounded_range_zcdp.)
GaussianDp bounded_range_gdp(double epsilon);

/// The largest range that rho or mu pays for, rounded down.
double range_for(Zcdp budget);
double range_for(GaussianDp budget);

}  // namespace eigenveil
