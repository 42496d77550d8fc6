#pragma once

#include <span>

#include "random/fixed_interval.hpp"

namespace eigenveil::detail {

/// A symmetric continuous law Z, known through the survival function S(t) = P(|Z| > t): if V is
/// uniform on (0, 1), then |Z| = S⁻¹(V), and V is called the tail of the draw.
struct NoiseLaw {
  /// magnitudes = S⁻¹(tails) in double precision. For tails >= kSmallestFastTail the error is at
  /// most kMagnitudeError * (1 + magnitude).
  void (*magnitudes)(std::span<const double> tails, std::span<double> magnitudes);
  /// Encloses S(t), t = ratio > 0, with `precision` fractional bits.
  FixedInterval (*survival)(const Ratio& ratio, unsigned precision);
};

extern const NoiseLaw kGaussianLaw;
extern const NoiseLaw kLaplaceLaw;

/// Proof: docs/proofs/rounded_noise.md, section 4.
inline constexpr double kMagnitudeError = 0x1p-46;
inline constexpr double kSmallestFastTail = 0x1p-34;

}  // namespace eigenveil::detail
