#pragma once

#include <string>
#include <vector>

#include "ledger/totals.hpp"

namespace eigenveil {

/// What a release costs at a budget, before its plan is made: pure budgets epsilon, Gaussian noise
/// its mu, and methods that spend an (epsilon, delta) pair as such the pair.
Result<ReleaseCost> typical_cost(const Budget& budget, bool spends_pair, Relation relation,
                                 int group_size = 1);

/// "epsilon 1", "(1, 1e-06)", "mu 0.5".
std::string budget_in_words(const Budget& budget);

/// How many releases of this cost fit after `earlier`; at most `limit`.
int how_many_fit(const LedgerTerms& terms, const std::vector<Charge>& earlier,
                 const ReleaseCost& cost, int limit = 1000);

/// For people who choose a share before caps are fixed for ever: for several shares, how many
/// releases of one kind would fit. Empty where the promise leaves no choice.
std::string shares_table(const Budget& promise, const LedgerTerms& terms);

/// Releases that somebody wants to make, in their order.
struct WantedRelease {
  std::string label;
  ReleaseCost cost;
};

/// Whether they would fit in this order, and what is left after each; where they do not, which
/// would if the small ones came first. Nothing is charged.
struct LedgerOutlook {
  std::string text;
  std::size_t fitting = 0;  ///< in this order
  std::size_t wanted = 0;
};
LedgerOutlook plan_in_words(const LedgerTerms& terms, const std::vector<Charge>& earlier,
                            const std::vector<WantedRelease>& wanted);

}  // namespace eigenveil
