#pragma once

#include "eigenveil/core/result.hpp"
#include "mechanism/moment/moment_plan.hpp"

namespace eigenveil {

/// Laplace noise on the upper triangle of the exact second moment: pure epsilon with scale
/// (l1 sensitivity) / epsilon on every entry. Noise is the exactly rounded continuous Laplace law,
/// so the basis is `proved`. Proof: docs/proofs/laplace.md.
Result<MomentPlan> plan_laplace(const MomentRequest& request);

/// The noise a sensitivity (in grid units) needs for pure epsilon, rounded up.
NoiseScale laplace_noise_scale(double upper_triangle_l1_sensitivity, PureDp budget);

/// The mechanism itself. Takes nothing but a statistic with an upper-triangle l1 bound.
Result<Release<NoisyTotals>> add_laplace_noise(
    const Bounded<SecondMoment, UpperTriangleL1Norm>& moment, PureDp budget, RandomStream& stream);

}  // namespace eigenveil
