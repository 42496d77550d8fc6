#pragma once

#include <string>
#include <vector>

#include "cli/methods/method.hpp"

namespace eigenveil::cli {

/// One line of `plan pca --compare`.
struct ComparedMethod {
  std::string name;
  PredictedError predicted;
  double total_f2 = 0.0;    ///< noise and sampling error together, never above the worst
  double null_share = 0.0;  ///< of the tables it was tried on
};

/// The whole table.
struct MethodComparison {
  std::vector<ComparedMethod> methods;  ///< best first; those without a prediction last
  double sampling_f2 = 0.0;             ///< what sampling alone costs
  double worst_f2 = 0.0;                ///< directions with nothing in common
  int tables = 0;                       ///< made-up tables; 0: first-order formulas
};

/// E |UUᵀ - ÛÛᵀ|_F² of the sample's own components for Gaussian rows, first order:
/// (2/n) sum over i <= k < j of l_i l_j / (l_i - l_j)².
double sampling_error(const Vector& spectrum, Eigen::Index components, double rows);

/// Every method of the task on the assumed setting: tried on made-up tables where that is cheap
/// (method_trials.hpp), first-order formulas beyond.
MethodComparison compared(const MethodChoice& choice, const AssumedSetting& setting);

/// Holds under a model, or in the limit, and not for every data set.
bool under_a_model(const ComparedMethod& method);

/// The best method, with or without those that hold under a model only; null when there is none.
const ComparedMethod* recommended(const MethodComparison& comparison, bool accept_model);

/// The command.
Outcome compare_methods(const PlanRequest& request, const MethodChoice& choice);

}  // namespace eigenveil::cli
