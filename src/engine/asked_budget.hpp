#pragma once

#include <optional>

#include "eigenveil/privacy/calibration.hpp"

namespace eigenveil {

/// The numbers of a budget as somebody gave them; there is no default.
struct BudgetNumbers {
  std::optional<double> epsilon = {};
  std::optional<double> delta = {};
  std::optional<double> rho = {};
  std::optional<double> mu = {};

  bool given() const { return epsilon || delta || rho || mu; }
};

/// Exactly one of epsilon, epsilon with delta, rho and mu, in their ranges; or what to give.
Result<Budget> asked_budget(const BudgetNumbers& given);

}  // namespace eigenveil
