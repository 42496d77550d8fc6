#include "cli/options/budget_options.hpp"

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
      ->group(kGroup);
}

Result<Budget> BudgetOptions::budget() const {
  const int notions = (epsilon ? 1 : 0) + (rho ? 1 : 0) + (mu ? 1 : 0);
  if (notions == 0) {
    return bad_request(delta
                           ? "--delta needs --epsilon beside it"
                           : "a privacy budget is missing. It decides how much one person can show "
                             "in the result, so it has no default. Give exactly one of --epsilon E "
                             "(pure), --epsilon E --delta D, --rho R, or --mu M; --epsilon 1 "
                             "--delta 1e-6 is a common start");
  }
  if (notions > 1 || (delta && !epsilon)) {
    return bad_request(
        "give exactly one budget: --epsilon E, --epsilon E --delta D, --rho R, or --mu M");
  }
  if (epsilon && delta) {
    return check_budget(ApproxDp{*epsilon, *delta});
  }
  if (epsilon) {
    return check_budget(PureDp{*epsilon});
  }
  return rho ? check_budget(Zcdp{*rho}) : check_budget(GaussianDp{*mu});
}

Result<AskedBudget> BudgetOptions::asked() const {
  return budget().and_then([&](const Budget& spent) {
    return relation().map([&](Relation whom) { return AskedBudget{spent, whom, group_size}; });
  });
}

}  // namespace eigenveil::cli
