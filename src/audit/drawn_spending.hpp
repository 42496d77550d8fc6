#pragma once

#include <functional>

#include "eigenveil/core/result.hpp"
#include "eigenveil/privacy/calibration.hpp"

namespace eigenveil {

/// What is spent on directions and on what is measured beside them, in the unit of the budget
/// (epsilon, rho or mu): the claim, or what a mutant really spends.
struct Spending {
  double directions = 0.0;
  double inside = 0.0;
};

/// What a unit of privacy buys of a draw and of noise (docs/proofs/bounded_range.md), for attacks
/// on both: pure epsilon, rho or mu. Pairs are refused, whose draw is pure.
class SpendingUnit {
 public:
  static Result<SpendingUnit> of(const Budget& budget);

  Budget budget(double amount) const;
  Loss loss(double amount) const;
  double total(const Spending& spent) const;
  /// Of the request that is so divided.
  double share(const Spending& spent) const;
  Spending divide(double share) const;  ///< the budget itself

  double range(double directions) const;  ///< of a draw
  double for_range(double range) const;   ///< its price
  /// What buys noise that is `factor` times smaller.
  double for_noise(double inside, double factor) const;

  /// The law of an attack (harness.hpp) from that of its announcement when range, or noise, is so
  /// many times what is claimed. Rho has no number that a power could be turned into, so there the
  /// loss is the power itself.
  using Law = std::function<double(double factor)>;
  Law law_of_draw(Law announced, double directions) const;
  Law law_of_noise(Law announced) const;
  bool pure() const { return kind_ == Kind::Pure; }
  bool mu() const { return kind_ == Kind::Mu; }

 private:
  enum class Kind : unsigned char { Pure, Rho, Mu };
  SpendingUnit(Kind kind, double whole) : kind_(kind), whole_(whole) {}
  Kind kind_;
  double whole_;
};

}  // namespace eigenveil
