#include <fmt/format.h>

#include <cmath>

#include "cli/methods/method.hpp"
#include "cli/methods/planned_gram.hpp"
#include "cli/methods/sharp_plan.hpp"
#include "cli/methods/subspace_document.hpp"
#include "cli/options/checks.hpp"
#include "cli/summary.hpp"
#include "mechanism/sharp/sharp.hpp"
#include "mechanism/sharp/sharp_privacy.hpp"

namespace eigenveil::cli {
namespace {

constexpr const char* kPrivateSpectrum =
    "the spectrum of the rows is private, and a noise level chosen from it would leak. Leave out "
    "--data-spectrum (the program then pays for a private calibration), or add "
    "--spectrum-is-public if these eigenvalues are public knowledge";

class SharpMethod final : public Method {
 public:
  std::string name() const override { return "sharp"; }
  std::string budgets() const override { return "mu, (epsilon, delta), rho; asymptotic only"; }
  bool serves(Task task) const override { return task == Task::Components; }
  bool takes_variance_share() const override { return true; }
  bool has_published_calibration() const override { return true; }
  bool takes_ranks() const override { return true; }
  bool plans_without_budget() const override { return true; }
  void declare(CLI::App& app) override;
  std::string option_given() const override;
  Outcome release(const ReleaseRequest& request) const override;
  Outcome plan(const PlanRequest& request) const override { return plan_sharp(request, options_); }
  std::optional<PredictedError> predicted_error(const AssumedSetting& setting) const override;

 private:
  Result<SharpPlan> make_plan(const Request& request, const RowBound& bound) const;

  SharpOptions options_;
};

void SharpMethod::declare(CLI::App& app) {
  constexpr const char* kGroup = "Method sharp";
  app.add_option("--data-spectrum", options_.spectrum_file,
                 "eigenvalues of the covariance of rows with squared norm at most p, one per line; "
                 "private unless declared public")
      ->group(kGroup);
  app.add_flag("--spectrum-is-public", options_.spectrum_is_public,
               "the eigenvalues of --data-spectrum are public knowledge")
      ->group(kGroup);
  app.add_option("--beta", options_.beta, "plan: the noise level itself instead of a budget")
      ->group(kGroup);
  app.add_option("--calibration-share", options_.calibration_share,
                 "share of mu^2 for calibrating on the data (default 0.3)")
      ->check(open_unit_interval())
      ->group(kGroup);
}

std::string SharpMethod::option_given() const {
  if (!options_.spectrum_file.empty()) {
    return "--data-spectrum";
  }
  if (options_.spectrum_is_public) {
    return "--spectrum-is-public";
  }
  return options_.beta ? "--beta" : "";
}

Result<SharpPlan> SharpMethod::make_plan(const Request& request, const RowBound& bound) const {
  if (const Result<void> checked = request.check_components(bound.dimension()); !checked) {
    return error_of(checked);
  }
  if (options_.beta) {
    return bad_request(
        "--beta is for plan: how private a given beta is depends on the rows; give --mu instead");
  }
  if (request.bounds.private_mean()) {
    return bad_request("method sharp works about a public centre; leave out --center private");
  }
  const Result<Budget> budget = request.budget.budget();
  if (!budget) {
    return error_of(budget);
  }
  std::optional<Vector> spectrum;
  if (!options_.spectrum_file.empty()) {
    if (!options_.spectrum_is_public) {
      return bad_request(kPrivateSpectrum);
    }
    const Result<Vector> read = read_spectrum(options_.spectrum_file);
    if (!read) {
      return error_of(read);
    }
    spectrum = *read;
  }
  return request.budget.relation().and_then([&](Relation relation) {
    return SharpPlan::make({bound, column_scales(bound, request.units()), *budget, relation,
                            request.budget.group_size, request.components,
                            request.share_for_variance(), options_.calibration_share,
                            request.published, spectrum, request.bounds.rank_transform});
  });
}

Fields parameters_of(const Request& request, const SharpPlan& plan) {
  Fields fields = {
      {"variance_share", request.share_for_variance()},
      {"mu_row_count", plan.row_count_mu()},
      {"mu_calibration", plan.calibration_mu()},
      {"mu_draw", plan.draw_mu()},
      {"calibration", std::string(request.published ? "published plug-in" : "margins of 3 sd")}};
  if (request.bounds.rank_transform) {
    fields.emplace_back("rank_transform", true);
  }
  return fields;
}

Fields result_of(const SharpSettlement& settled, bool ranks) {
  Fields fields = {{"outcome", std::string(settled.beta ? "released" : "not achievable")},
                   {"calibration_rows", settled.rows}};
  if (settled.calibration) {
    fields.emplace_back("noisy_scaled_gap", settled.calibration->scaled_gap);
    fields.emplace_back("noisy_threshold", settled.calibration->threshold);
    fields.emplace_back("noisy_plateau_mu2", settled.calibration->plateau_mu2);
  }
  if (settled.beta) {
    fields.emplace_back("beta", *settled.beta);
    if (!ranks) {
      fields.emplace_back("worst_case_epsilon_per_row_of_the_draw", settled.worst_case_epsilon);
    }
  }
  return fields;
}

std::vector<std::string> lines_of(const SharpSettlement& settled, const Request& request) {
  if (!settled.beta) {
    return {
        "outcome     NULL, not achievable: at this size no noise level meets the target; nothing "
        "was drawn, and the calibration is spent"};
  }
  if (request.bounds
          .rank_transform) {  // one row shifts the ranks of all: nothing holds for all data
    return {fmt::format("noise level beta {:.4g}", *settled.beta)};
  }
  return {fmt::format("noise level beta {:.4g}; for every data set {} is {:.4g}-DP for one row",
                      *settled.beta,
                      request.components > 1 ? "the exact law of the draw" : "the draw alone",
                      settled.worst_case_epsilon)};
}

Outcome SharpMethod::release(const ReleaseRequest& request) const {
  const auto ready = plan_then_read(
      request, [&](const RowBound& bound) { return make_plan(request.what, bound); });
  if (!ready) {
    return error_of(ready);
  }
  RandomStream stream = request.output.stream();
  const Result<SharpPlan::Outcome> outcome = ready->plan.run(ready->gram, stream);
  if (!outcome) {
    return error_of(outcome);
  }
  const MomentSettings settings{Center::PublicMidpoint, request.what.units(),
                                request.what.bounds.has_public_center(),
                                *request.what.budget.budget()};
  const PublicParameters common{settings, ready->bound, ready->plan.guarantee().relation,
                                request.what.budget.group_size};
  return publish(
      subspace_document(outcome->release, common, parameters_of(request.what, ready->plan),
                        result_of(outcome->settlement, request.what.bounds.rank_transform)),
      request.output,
      {request.input.display_name(), describe_bound(ready->bound),
       lines_of(outcome->settlement, request.what)});
}

std::optional<PredictedError> SharpMethod::predicted_error(const AssumedSetting& setting) const {
  return predicted_sharp_error(setting, options_.calibration_share);
}

}  // namespace

std::unique_ptr<Method> sharp_method() {
  return std::make_unique<SharpMethod>();
}

}  // namespace eigenveil::cli
