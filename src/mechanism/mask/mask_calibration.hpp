#pragma once

#include <cstdint>

#include "eigenveil/core/result.hpp"
#include "eigenveil/privacy/guarantee.hpp"

namespace eigenveil {

/// The public facts the noise of a masked release A (X + C) depends on: rows of norm at most
/// `row_norm`, all in blocks of at least `rows` rows, each block with an orthogonal mask of its
/// own. The tight analysis needs rows > dimension. Proof: docs/proofs/masking.md.
struct MaskShape {
  std::int64_t rows = 0;
  std::int64_t dimension = 0;
  double row_norm = 1.0;
  /// Norm of the row that a zeroed one becomes: that of (t, 0) with an intercept. At most row_norm.
  double zeroed_norm = 0.0;
};

/// Largest sizes the certified evaluation was tested for.
inline constexpr std::int64_t kLargestMaskRows = 1'000'000'000'000;

/// Smallest standard deviation of the noise (rounded up) for which the release is proved
/// (epsilon, delta)-DP for `relation`, zero-row or replace-one. Never more than without masking.
Result<double> tight_mask_noise(const MaskShape& shape, const ApproxDp& target, Relation relation);

/// Smallest delta proved at `epsilon` (rounded up) for noise of this standard deviation.
double mask_delta(const MaskShape& shape, double sigma, double epsilon, Relation relation);

/// The whole guarantee of the tight analysis as a trade-off curve that composes with others; the
/// curve passes through the proved delta at `epsilon`.
TradeOffCurve mask_curve(const MaskShape& shape, double sigma, double epsilon, Relation relation);

/// Setting (B) of Ding et al.: the largest root of
///   L / (2(n-p)) Q(delta; 2(n-p), R^2/s^2) + B - s^2 epsilon,
/// Q the upper delta-quantile of a non-central chi-square. Rows in a ball of radius R, one row
/// moves by at most `change`: L = min(2 R change, R^2), B = min(R change, R^2/2).
Result<double> general_mask_noise(const MaskShape& shape, double change, const ApproxDp& target);
/// As printed: entries in [-1, 1], one row moves by at most 1, L = 2 sqrt(p) + 1, B = sqrt(p).
Result<double> published_mask_noise(std::int64_t rows, std::int64_t dimension,
                                    const ApproxDp& target);
/// Corollary 3.5, the relaxed closed form of the same (epsilon < 1).
Result<double> relaxed_mask_noise(std::int64_t rows, std::int64_t dimension,
                                  const ApproxDp& target);

/// Setting (A) of Ding et al.: X + C without a mask, one row moves by at most `change`. `necessary`
/// and `sufficient` speak of P(privacy loss > epsilon) <= delta, which is stronger than
/// (epsilon, delta)-DP; `analytic` is the smallest noise that is (epsilon, delta)-DP.
struct UnmaskedNoise {
  double necessary = 0.0;
  double sufficient = 0.0;  ///< epsilon < 1
  double analytic = 0.0;
  double corollary_necessary = 0.0;   ///< Corollary 3.3, delta < 0.05
  double corollary_sufficient = 0.0;  ///< Corollary 3.3, delta < 0.05, epsilon < 1
};
UnmaskedNoise unmasked_noise(double change, const ApproxDp& target);

}  // namespace eigenveil
