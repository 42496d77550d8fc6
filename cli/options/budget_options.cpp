#include "cli/options/budget_options.hpp"

#include "cli/options/checks.hpp"

namespace eigenveil::cli {

void BudgetOptions::declare(CLI::App& app) {
  constexpr const char* kGroup = "Budget (exactly one; no default)";
  app.add_option("--epsilon", epsilon, "pure epsilon-DP, or (epsilon, delta)-DP with --delta")
      ->group(kGroup);
  app.add_option("--delta", delta, "with --epsilon; far below one over the number of people")
      ->group(kGroup);
  app.add_option("--rho", rho, "rho-zCDP")->group(kGroup);
  app.add_option("--mu", mu, "mu-Gaussian DP")->group(kGroup);
  app.add_option("--group-size", group_size, "protect this many rows together (default 1)")
      ->group(kGroup);
  app.add_option("--neighbours", neighbours,
                 "what one person can change: add-remove (the row count is protected), replace-one "
                 "or zero-row (the row count is public); default " +
                     neighbours)
      ->type_name(choices({"add-remove", "replace-one", "zero-row", "independent-copy"}))
      ->group(kGroup);
}

Result<AskedBudget> BudgetOptions::asked() const {
  return budget().and_then([&](const Budget& spent) {
    return relation().map([&](Relation whom) { return AskedBudget{spent, whom, group_size}; });
  });
}

}  // namespace eigenveil::cli
