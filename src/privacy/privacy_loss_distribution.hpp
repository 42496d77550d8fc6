#pragma once

#include <cstdint>
#include <vector>

#include "eigenveil/core/result.hpp"
#include "eigenveil/privacy/guarantee.hpp"

namespace eigenveil {

/// Law of the privacy loss on the grid step * k, with the mass of an infinite loss kept apart.
/// Everything errs to the private side: masses are upper bounds, a loss is only ever moved up, cut
/// tails count as infinite losses, and the rounding of a convolution is added to every mass. So
/// delta_at is never below the true value. Proof: docs/proofs/guarantees.md, "Numerical
/// composition".
class PrivacyLossDistribution {
 public:
  /// Mass that may be moved to an infinite loss each time a tail is cut.
  static constexpr double kTailMass = 1e-24;
  /// Most grid points a distribution may have.
  static constexpr std::size_t kMaxSize = std::size_t{1} << 18U;

  /// Connect-the-dots discretisation (Doroshenko et al. 2022) of the tightest delta curve proved
  /// for the loss; exact at every grid point up to `kTailMass`. `step` is a power of two, so that
  /// grid losses are exact doubles.
  static Result<PrivacyLossDistribution> of(const Loss& loss, double step);

  /// masses[i] is the probability of loss step * (first + i). The caller promises that the
  /// distribution dominates both directions of every neighbour pair.
  static Result<PrivacyLossDistribution> from_masses(double step, std::int64_t first,
                                                     std::vector<double> masses,
                                                     double infinite_mass);

  /// Losses of independent (or adaptively chosen) releases add. Steps must agree.
  Result<PrivacyLossDistribution> compose(const PrivacyLossDistribution& other) const;
  Result<PrivacyLossDistribution> compose_with_itself(int count) const;

  double delta_at(double epsilon) const;
  double epsilon_at(double delta) const;

  /// Envelope of the lines at no more than `lines` grid points on each side of zero.
  TradeOffCurve trade_off_curve(int lines = 256) const;

  double step() const { return step_; }
  std::int64_t first_index() const { return first_; }
  const std::vector<double>& masses() const { return masses_; }
  double infinite_mass() const { return infinite_mass_; }

 private:
  PrivacyLossDistribution(double step, std::int64_t first, std::vector<double> masses,
                          double infinite_mass);
  void cut_tails();

  double step_;
  std::int64_t first_;
  std::vector<double> masses_;
  double infinite_mass_;
};

}  // namespace eigenveil
