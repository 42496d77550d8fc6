#pragma once

#include <string>
#include <vector>

#include "cli/methods/method.hpp"

namespace eigenveil::cli {

/// One line of `plan pca --compare`.
struct ComparedMethod {
  std::string name;
  PredictedError predicted;
  double total_f2 = 0.0;  ///< noise and sampling error together, never above the worst
};

/// E |UUᵀ - ÛÛᵀ|_F² of the sample's own components for Gaussian rows, first order:
/// (2/n) sum over i <= k < j of l_i l_j / (l_i - l_j)².
double sampling_error(const Vector& spectrum, Eigen::Index components, double rows);

/// Every method that can predict, best first; those without a prediction last.
std::vector<ComparedMethod> compared(const MethodChoice& choice, const AssumedSetting& setting);

/// The best method, with or without those that hold under a model only; null when there is none.
const ComparedMethod* recommended(const std::vector<ComparedMethod>& methods, bool accept_model);

/// The command.
Outcome compare_methods(const PlanRequest& request, const MethodChoice& choice);

}  // namespace eigenveil::cli
