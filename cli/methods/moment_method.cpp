#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/methods/method.hpp"
#include "cli/methods/moment_document.hpp"
#include "cli/methods/planned_gram.hpp"
#include "cli/summary.hpp"
#include "core/atomic_output.hpp"
#include "core/symmetric_eigen.hpp"
#include "eigenveil/report/document.hpp"
#include "mechanism/gauss/gauss.hpp"
#include "mechanism/laplace/laplace.hpp"
#include "mechanism/moment/predicted_error.hpp"
#include "random/normal.hpp"

namespace eigenveil::cli {
namespace {

/// gauss and laplace: noise on the exact second moment, then post-processing.
class MomentMethod final : public Method {
 public:
  using Planner = Result<MomentPlan> (*)(const MomentRequest&);
  MomentMethod(std::string name, std::string budgets, Planner planner)
      : name_(std::move(name)), budgets_(std::move(budgets)), planner_(planner) {}

  std::string name() const override { return name_; }
  std::string budgets() const override { return budgets_; }
  bool serves(Task) const override { return true; }
  Outcome release(const ReleaseRequest& request) const override;
  Outcome plan(const PlanRequest& request) const override;
  std::optional<PredictedError> predicted_error(const AssumedSetting& setting) const override;

 private:
  Result<MomentPlan> moment_plan(const Request& request, const RowBound& bound) const;

  std::string name_;
  std::string budgets_;
  Planner planner_;
};

Result<MomentPlan> MomentMethod::moment_plan(const Request& request, const RowBound& bound) const {
  if (const Result<void> checked = request.check_components(bound.dimension()); !checked) {
    return error_of(checked);
  }
  const Result<Budget> budget = request.budget.budget();
  if (!budget) {
    return error_of(budget);
  }
  return request.budget.relation().and_then([&](Relation relation) {
    return planner_({bound, *budget, relation,
                     request.bounds.private_mean() ? Extension::Full : Extension::Count,
                     request.budget.group_size});
  });
}

ReleaseDocument document_of(const Request& request, const MomentPlan& plan,
                            const Release<NoisyMoment>& release) {
  const MomentSettings settings{request.center(), request.units(),
                                request.bounds.has_public_center(), *request.budget.budget()};
  switch (request.task) {
    case Task::Components:
      return components_document(plan, settings, release, request.components);
    case Task::LowRank:
      return low_rank_document(plan, settings, release, request.components);
    default:
      return covariance_document(plan, settings, release);
  }
}

Outcome MomentMethod::release(const ReleaseRequest& request) const {
  const auto ready = plan_then_read(
      request, [&](const RowBound& bound) { return moment_plan(request.what, bound); });
  if (!ready) {
    return error_of(ready);
  }
  RandomStream stream = request.output.stream();
  const Result<Release<NoisyMoment>> release = ready->plan.run(ready->gram, stream);
  if (!release) {
    return error_of(release);
  }
  return publish(document_of(request.what, ready->plan, *release), request.output,
                 {request.input.display_name(), describe_bound(ready->plan.bound())});
}

/// The numbers of a plan, in the order of the JSON.
nlohmann::ordered_json plan_facts(const PlanRequest& request, const MomentPlan& plan,
                                  const Vector& eigenvalues) {
  const double n = static_cast<double>(request.rows);
  const Guarantee& guarantee = plan.guarantee();
  nlohmann::ordered_json facts = {
      {"task", name_of(request.what.task)},
      {"method", plan.method()},
      {"guarantee", headline(guarantee, *request.what.budget.budget())},
      {"in_words", detection_in_words(guarantee)},
      {stated_power(guarantee).field, stated_power(guarantee).power},
      {"row_norm", plan.bound().radius()},
      {"noise_sd_diagonal", plan.product_sd() / n},
      {"noise_sd_off_diagonal", plan.off_diagonal_sd() / n},
      {"noise_sd_rows", plan.count_sd()},
      {"noise_floor", planned_noise_floor(plan, request.what.units(), n)}};
  if (request.what.wants_components() && eigenvalues.size() > 0) {
    facts["predicted_error_f2"] =
        predicted_subspace_error(eigenvalues, request.what.components, plan.off_diagonal_sd() / n);
  }
  if (request.what.task == Task::LowRank && eigenvalues.size() > 0) {
    facts["predicted_error_f2"] = predicted_truncation_error(
        eigenvalues, request.what.components, plan.product_sd() / n, plan.off_diagonal_sd() / n);
  }
  if (request.what.task == Task::Covariance && eigenvalues.size() > 0) {
    const auto p = static_cast<double>(eigenvalues.size());
    const double diagonal = plan.product_sd() / n;
    const double off_diagonal = plan.off_diagonal_sd() / n;
    // E |noise|_F^2, beside |Cov|_F^2 = sum of squared eigenvalues.
    facts["predicted_error_f2"] =
        p * diagonal * diagonal + p * (p - 1.0) * off_diagonal * off_diagonal;
    facts["covariance_f2"] = eigenvalues.squaredNorm();
  }
  return facts;
}

/// What the noise does to the assumed spectrum; nothing where none was given.
void print_error(const PlanRequest& request, const nlohmann::ordered_json& facts) {
  if (!facts.contains("predicted_error_f2")) {
    return;
  }
  const double error = facts["predicted_error_f2"].get<double>();
  switch (request.what.task) {
    case Task::LowRank:
      fmt::print(
          "  error       |M - H|_F^2 about {:.4g} (first order, for the assumed spectrum, scaled "
          "units)\n",
          error);
      return;
    case Task::Covariance:
      fmt::print("  error       |noise|_F about {:.4g}, {:.3g}% of the assumed covariance's norm\n",
                 std::sqrt(error), 100.0 * std::sqrt(error / facts["covariance_f2"].get<double>()));
      return;
    default:
      fmt::print(
          "  error       |UU' - VV'|_F^2 about {:.4g} (worst {}; first order, for the assumed "
          "spectrum)\n",
          error, 2 * request.what.components);
  }
}

void print_plan(const PlanRequest& request, const MomentPlan& plan,
                const nlohmann::ordered_json& facts) {
  const double n = static_cast<double>(request.rows);
  fmt::print("Plan for {} by method {}: {} rows, {} column{} (no data was read)\n",
             name_of(request.what.task), plan.method(), request.rows, plan.bound().dimension(),
             plan.bound().dimension() == 1 ? "" : "s");
  fmt::print("  guarantee   {}\n  in words    {}\n  bounds      {}\n",
             facts["guarantee"].get<std::string>(), facts["in_words"].get<std::string>(),
             describe_bound(plan.bound()));
  fmt::print(
      "  noise       standard deviation {:.4g} on a variance, {:.4g} on a covariance (scaled "
      "units)\n",
      plan.product_sd() / n, plan.off_diagonal_sd() / n);
  fmt::print("  floor       eigenvalues below about {:.4g} would drown in noise ({} units{})\n",
             facts["noise_floor"].get<double>(),
             request.what.units() == Units::Original ? "original" : "scaled",
             plan.sum_sd() > 0.0 ? "; a mean nearer to the centre has less" : "");
  if (plan.count_sd() > 0.0) {
    fmt::print("  rows        released with standard deviation {:.3g}\n", plan.count_sd());
  }
  print_error(request, facts);
}

Outcome MomentMethod::plan(const PlanRequest& request) const {
  const Result<Schema> schema = request.schema();
  if (!schema) {
    return error_of(schema);
  }
  if (const Result<void> checked = request.what.check_components(schema->dimension()); !checked) {
    return error_of(checked);
  }
  const Result<Vector> eigenvalues = request.spectrum(schema->dimension());
  if (!eigenvalues) {
    return error_of(eigenvalues);
  }
  return request.what.bounds.bound(*schema)
      .and_then([&](const RowBound& bound) { return moment_plan(request.what, bound); })
      .map([&](const MomentPlan& plan) {
        const nlohmann::ordered_json facts = plan_facts(request, plan, *eigenvalues);
        if (request.json) {
          fmt::print("{}\n", facts.dump(2));
        } else {
          print_plan(request, plan, facts);
        }
      });
}

std::optional<PredictedError> MomentMethod::predicted_error(const AssumedSetting& setting) const {
  return predicted_moment_error(name(), setting);
}

}  // namespace

std::unique_ptr<Method> gauss_method() {
  return std::make_unique<MomentMethod>("gauss", "(epsilon, delta), rho, mu", &plan_gauss);
}

std::unique_ptr<Method> laplace_method() {
  return std::make_unique<MomentMethod>("laplace", "pure epsilon", &plan_laplace);
}

}  // namespace eigenveil::cli
