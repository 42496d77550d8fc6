#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/explore/question.hpp"
#include "eigenveil/engine/method.hpp"
#include "ledger/charge.hpp"
#include "ledger/ledger.hpp"

namespace eigenveil::cli {

constexpr double kNinetyFive = 1.959963984540054;  ///< 95 times in 100 a normal error is within

/// A question with the engine's plan for it.
struct Planned {
  Question question;
  AssumedTable table;
  Request request;
  PlanFacts facts;
  nlohmann::ordered_json numbers;  ///< the plan's JSON
  Eigen::Index components = 1;     ///< of the release
  Eigen::Index above_noise = 0;    ///< of the hoped ones; all where the plan knows no limit
  double unit = 1.0;               ///< scaled variances times this are the plan's own
  std::string method;              ///< that serves it

  std::optional<double> number(const char* key) const;
  /// Components that accuracy speaks of: as many at every budget, or a larger one that shows a
  /// further, weaker component would look less accurate.
  Eigen::Index steady = 1;
  std::optional<double> steady_error;  ///< predicted |UU' - VV'|_F² of a plan for those
  /// What privacy noise does to the number that the task is about, 95 times in 100. Components: a
  /// weight in them, 1.96 sqrt(F² / (2 p k)). Covariance: the correlation of two columns that have
  /// none, whose spread is the assumed one; of a regression, the slope that is furthest off.
  /// Pseudo-data: the variance of a column, as a share.
  std::optional<double> accuracy() const;
  bool chance() const;  ///< no better than a blind guess
  double sampling_accuracy() const;
  /// The same of what would be released, where that is less than `steady` components.
  Eigen::Index readable() const;  ///< of `steady`, those that the release would hold
  std::optional<double> readable_accuracy() const;
  bool readable_chance() const;
  double readable_sampling() const;
  std::string_view accuracy_of() const;  ///< "weight", "correlation", "slope" or "variance"
  /// The bound on detection that the plan states, under whichever condition.
  double power() const;
  /// Of this release and the map of people together, where one is wanted.
  double joint_power() const;
};

/// Kept for the session: a slider comes back to the same budgets.
Result<Planned> planned(const Question& question, const ExploreSource& source);

/// The question at the budget that brings a number of its plan to `value`: "accuracy" or "edge",
/// what a component must exceed.
Result<Planned> planned_for(Question question, const ExploreSource& source,
                            const std::string& quantity, double value);

/// One account of a ledger, in shares of its cap.
struct AccountView {
  Account account = Account::Gaussian;
  double spent = 0.0;  ///< by earlier releases
  double now = 0.0;    ///< by what is on the screen
};

/// What a ledger says about a release before it is made.
struct LedgerView {
  LedgerState state;
  std::vector<AccountView> accounts;  ///< those that something is charged to
  std::optional<AccountView> press;   ///< what pressing the button charges: the release alone
  std::optional<AccountView> map;     ///< what the map of people would charge after it
  bool fits = true;
  bool other_promise = false;  ///< of a kind that this ledger keeps no promise about
  std::string refusal = {};
  std::optional<double> limit = {};  ///< the largest epsilon that would fit, up to kLargestBudget
};
constexpr double kLargestBudget = 10.0;  ///< end of the rail
Result<LedgerView> ledger_view(const Planned& plan, const LedgerState& state,
                               const ExploreSource& source);

}  // namespace eigenveil::cli
