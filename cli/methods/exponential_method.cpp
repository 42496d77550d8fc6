#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/methods/method.hpp"
#include "cli/methods/planned_gram.hpp"
#include "cli/methods/subspace_document.hpp"
#include "cli/summary.hpp"
#include "mechanism/exponential/exponential.hpp"
#include "mechanism/sharp/sharp_privacy.hpp"

namespace eigenveil::cli {
namespace {

constexpr const char* kOneComponent =
    "method exponential draws one component; for k >= 2 with pure epsilon take --method orbit";
constexpr const char* kNoPrivateMean =
    "method exponential draws its direction from second moments about a public centre and releases "
    "no mean; leave out --center private, or take --method gauss with --delta";

class ExponentialMethod final : public Method {
 public:
  std::string name() const override { return "exponential"; }
  std::string budgets() const override { return "k = 1: pure epsilon, rho"; }
  bool serves(Task task) const override { return task == Task::Components; }
  bool takes_variance_share() const override { return true; }
  Outcome release(const ReleaseRequest& request) const override;
  Outcome plan(const PlanRequest& request) const override;
  std::optional<PredictedError> predicted_error(const AssumedSetting& setting) const override;
};

Result<ExponentialPlan> make_plan(const Request& request, const RowBound& bound) {
  if (request.components != 1) {
    return bad_request(kOneComponent);
  }
  if (request.bounds.private_mean()) {
    return bad_request(kNoPrivateMean);
  }
  const Result<Budget> budget = request.budget.budget();
  if (!budget) {
    return error_of(budget);
  }
  return request.budget.relation().and_then([&](Relation relation) {
    return plan_exponential({bound, column_scales(bound, request.units()), *budget, relation,
                             request.budget.group_size, request.share_for_variance()});
  });
}

Fields parameters_of(const Request& request, const ExponentialPlan& plan) {
  return {{"variance_share", request.share_for_variance()},
          {"exponent", plan.exponent()},
          {"direction_epsilon_per_row", plan.direction_epsilon()},
          {"zcdp_rho_per_row", plan.zcdp_rho()},
          {"frame_grid", 0x1p-30}};
}

Outcome ExponentialMethod::release(const ReleaseRequest& request) const {
  if (request.what.components != 1) {
    return bad_request(kOneComponent);
  }
  const auto ready = plan_then_read(
      request, [&](const RowBound& bound) { return make_plan(request.what, bound); });
  if (!ready) {
    return error_of(ready);
  }
  RandomStream stream = request.output.stream();
  const Result<Release<DrawnSubspace>> release = ready->plan.run(ready->gram, stream);
  if (!release) {
    return error_of(release);
  }
  const MomentSettings settings{Center::PublicMidpoint, request.what.units(),
                                request.what.bounds.has_public_center(),
                                *request.what.budget.budget()};
  const PublicParameters common{settings, ready->bound, ready->plan.guarantee().relation,
                                request.what.budget.group_size};
  return publish(subspace_document(*release, common, parameters_of(request.what, ready->plan), {}),
                 request.output, {request.input.display_name(), describe_bound(ready->bound)});
}

std::optional<PredictedError> ExponentialMethod::predicted_error(
    const AssumedSetting& setting) const {
  return predicted_exponential_error(setting);
}

Outcome ExponentialMethod::plan(const PlanRequest& request) const {
  const Result<Schema> schema = request.schema();
  if (!schema) {
    return error_of(schema);
  }
  const Result<Vector> eigenvalues = request.spectrum(schema->dimension());
  if (!eigenvalues) {
    return error_of(eigenvalues);
  }
  const Result<RowBound> bound = request.what.bounds.bound(*schema);
  if (!bound) {
    return error_of(bound);
  }
  return make_plan(request.what, *bound).map([&](const ExponentialPlan& plan) {
    const auto n = static_cast<double>(request.rows);
    const Guarantee& guarantee = plan.guarantee();
    nlohmann::ordered_json facts = {
        {"task", "pca"},
        {"method", "exponential"},
        {"guarantee", headline(guarantee, *request.what.budget.budget())},
        {"in_words", detection_in_words(guarantee)},
        {stated_power(guarantee).field, stated_power(guarantee).power},
        {"row_norm", std::sqrt(plan.row_norm2_bound())},
        {"exponent", plan.exponent()},
        {"zcdp_rho_per_row", plan.zcdp_rho()},
        {"noise_sd_variance", plan.projection().product_sd() / n},
        {"noise_sd_rows", plan.projection().count_sd()}};
    if (eigenvalues->size() > 1) {
      facts["predicted_error_f2"] = direction_error(plan, *eigenvalues, n);
    }
    if (request.json) {
      fmt::print("{}\n", facts.dump(2));
      return;
    }
    fmt::print("Plan for pca by method exponential: {} rows, {} columns (no data was read)\n",
               request.rows, bound->dimension());
    fmt::print("  guarantee   {}\n  in words    {}\n  bounds      {}\n",
               facts["guarantee"].get<std::string>(), facts["in_words"].get<std::string>(),
               describe_bound(*bound));
    fmt::print("  direction   density exp({:.4g} n u'Su), S the second moment per row\n",
               plan.exponent());
    fmt::print("  variance    standard deviation {:.4g} along it\n",
               plan.projection().product_sd() / n);
    if (facts.contains("predicted_error_f2")) {
      fmt::print("  error       |uu' - vv'|_F^2 about {:.4g} (worst 2; for the assumed spectrum)\n",
                 facts["predicted_error_f2"].get<double>());
    }
  });
}

}  // namespace

std::unique_ptr<Method> exponential_method() {
  return std::make_unique<ExponentialMethod>();
}

}  // namespace eigenveil::cli
