#pragma once

#include <string>

#include "cli/options/bound_options.hpp"
#include "cli/options/budget_options.hpp"
#include "eigenveil/mechanism/covariance.hpp"
#include "eigenveil/mechanism/moment_plan.hpp"

namespace eigenveil::cli {

/// Which matrix the user wants, in which units, by which method.
struct MomentOptions {
  std::string method;
  bool standardize = false;

  void declare(CLI::App& app);
  Units units() const { return standardize ? Units::Scaled : Units::Original; }
};

/// Picks the method (by name, or the default of the task for this kind of budget) and makes the
/// plan. `components` is 0 for a covariance.
Result<MomentPlan> make_moment_plan(const MomentOptions& options, const BudgetOptions& budget,
                                    const RowBound& bound, bool private_mean,
                                    Eigen::Index components);

}  // namespace eigenveil::cli
