#include "cli/moment_request.hpp"

#include <fmt/format.h>

#include "cli/suggestion.hpp"
#include "eigenveil/mechanism/gauss.hpp"
#include "eigenveil/mechanism/laplace.hpp"

namespace eigenveil::cli {
namespace {

constexpr const char* kNoPureComponents =
    "pure epsilon-DP principal components need a mechanism this version does not have. Add --delta "
    "(for example --delta 1e-6) for the default method gauss, or take --method laplace: pure, but "
    "with noise that grows with the number of columns";

Result<std::string> default_method(const Budget& budget, Eigen::Index components) {
  if (!std::holds_alternative<PureDp>(budget)) {
    return "gauss";
  }
  if (components > 0) {
    return bad_request(kNoPureComponents);
  }
  return "laplace";
}

}  // namespace

void MomentOptions::declare(CLI::App& app) {
  app.add_option("--method", method,
                 "gauss ((epsilon, delta), rho, mu) or laplace (pure epsilon); the default follows "
                 "the budget");
  app.add_flag(
      "--standardize", standardize,
      "work with columns scaled from their public range to [-1, 1] instead of original units");
}

Result<MomentPlan> make_moment_plan(const MomentOptions& options,
                                    const BudgetOptions& budget_options, const RowBound& bound,
                                    bool private_mean, Eigen::Index components) {
  const Result<Budget> budget = budget_options.budget();
  if (!budget) {
    return error_of(budget);
  }
  const Result<Relation> relation = budget_options.relation();
  if (!relation) {
    return error_of(relation);
  }
  const Result<std::string> method =
      options.method.empty() ? default_method(*budget, components) : options.method;
  if (!method) {
    return error_of(method);
  }
  const MomentRequest request{bound, *budget, *relation,
                              private_mean ? Extension::Full : Extension::Count,
                              budget_options.group_size};
  if (*method == "gauss") {
    return plan_gauss(request);
  }
  if (*method == "laplace") {
    return plan_laplace(request);
  }
  return bad_request(fmt::format("method '{}' is not known; there are gauss and laplace{}", *method,
                                 did_you_mean(*method, {"gauss", "laplace"})));
}

}  // namespace eigenveil::cli
