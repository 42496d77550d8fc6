#pragma once

#include "eigenveil/core/result.hpp"
#include "mechanism/moment/moment_plan.hpp"

namespace eigenveil {

/// Two-sided Wishart noise on the exact second moment: M + s (G Gᵀ - H Hᵀ) with independent
/// p x (p + 1) matrices of normals and s = (nuclear-norm sensitivity) / (2 epsilon) is pure
/// epsilon-DP. Exactly p + 1 degrees of freedom: fewer break the proof. Every entry is exactly
/// rounded from one set of real normals, so the basis is `proved`. Proof: docs/proofs/wishart.md.
Result<MomentPlan> plan_wishart(const MomentRequest& request);

/// The noise a sensitivity (in grid units) needs for pure epsilon, rounded up.
NoiseScale wishart_noise_scale(double nuclear_sensitivity, PureDp budget, const MomentShape& shape);

/// The mechanism itself. Takes nothing but a statistic with a nuclear-norm bound.
Result<Release<NoisyTotals>> add_wishart_noise(const Bounded<SecondMoment, NuclearNorm>& moment,
                                               PureDp budget, RandomStream& stream);

}  // namespace eigenveil
