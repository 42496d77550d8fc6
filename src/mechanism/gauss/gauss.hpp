#pragma once

#include "eigenveil/core/result.hpp"
#include "mechanism/moment/moment_plan.hpp"

namespace eigenveil {

/// Gaussian noise on the exact second moment (Analyze Gauss), isotropic in the space of symmetric
/// matrices: off-diagonal entries carry half the variance, because the Frobenius norm counts them
/// twice. With sensitivity D and standard deviation D / mu the release is exactly mu-GDP; noise is
/// the exactly rounded continuous Gaussian, so the basis is `proved`. Proof: docs/proofs/gauss.md.
Result<MomentPlan> plan_gauss(const MomentRequest& request);

/// The noise a sensitivity (in grid units) needs for mu-GDP, rounded up. With the trace apart:
/// other directions carry less, or the trace does, at the same mu (docs/proofs/trace_noise.md).
NoiseScale gaussian_noise_scale(const MomentShape& shape, double frobenius_sensitivity,
                                GaussianDp budget);
NoiseScale gaussian_noise_scale(double frobenius_sensitivity, GaussianDp budget);

/// The mechanism itself. Takes nothing but a statistic with a Frobenius bound.
Result<Release<NoisyTotals>> add_gaussian_noise(const Bounded<SecondMoment, FrobeniusNorm>& moment,
                                                GaussianDp budget, RandomStream& stream);

}  // namespace eigenveil
