#pragma once

#include <vector>

#include "eigenveil/privacy/calibration.hpp"
#include "mechanism/moment/moment_plan.hpp"

namespace eigenveil {

/// A budget divided between directions that are drawn and numbers that are measured beside them.
struct DrawnBudget {
  PureDp directions{0.0};  ///< range of draw and blur together, for one row
  PerRowLoss beside = PureDp{0.0};
  Loss whole = PureDp{0.0};  ///< of the release, for the group
  Zcdp rho_per_row{0.0};     ///< what both cost under zCDP, by the range of the draw
  GaussianDp mu{0.0};        ///< and as Gaussian DP, for the group

  /// What a ledger may be charged instead of `whole`: mu, where it is finite. sqrt(2 rho) would not
  /// cover a draw (docs/proofs/ledger.md).
  std::vector<Loss> further_losses() const;
};

/// `share` of epsilon, rho or mu² goes to what is measured, as pure loss for a pure epsilon and as
/// mu (Gaussian noise) otherwise. rho and mu buy the draw by its range, twice the epsilon they
/// would buy of a loss that is no more than pure; (epsilon, delta) buys the pure epsilon that meets
/// it. Everything is rounded so that the parts stay within the budget. Proof:
/// docs/proofs/bounded_range.md.
Result<DrawnBudget> divide_drawn_budget(const Budget& budget, int group_size, double share);

}  // namespace eigenveil
