#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "eigenveil/privacy/relation.hpp"
#include "engine/asked_budget.hpp"

namespace eigenveil::cli {

/// A budget and whom it protects.
struct AskedBudget {
  Budget budget;
  Relation relation;
  int group_size;
};

/// --epsilon, --delta, --rho, --mu, --group-size, --neighbours. There is no default budget.
struct BudgetOptions : BudgetNumbers {
  int group_size = 1;
  std::string neighbours = "add-remove";

  void declare(CLI::App& app);
  Result<Budget> budget() const { return asked_budget(*this); }
  Result<Relation> relation() const { return parse_relation(neighbours); }
  Result<AskedBudget> asked() const;
};

}  // namespace eigenveil::cli
