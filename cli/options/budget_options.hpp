#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "eigenveil/privacy/calibration.hpp"
#include "eigenveil/privacy/relation.hpp"

namespace eigenveil::cli {

/// A budget and whom it protects.
struct AskedBudget {
  Budget budget;
  Relation relation;
  int group_size;
};

/// --epsilon, --delta, --rho, --mu, --group-size, --neighbours. There is no default budget.
struct BudgetOptions {
  std::optional<double> epsilon;
  std::optional<double> delta;
  std::optional<double> rho;
  std::optional<double> mu;
  int group_size = 1;
  std::string neighbours = "add-remove";

  void declare(CLI::App& app);
  bool given() const { return epsilon || delta || rho || mu; }
  Result<Budget> budget() const;
  Result<Relation> relation() const { return parse_relation(neighbours); }
  Result<AskedBudget> asked() const;
};

}  // namespace eigenveil::cli
