#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/exact_pass.hpp"
#include "cli/methods/method.hpp"
#include "cli/methods/planned_spectrum.hpp"
#include "cli/methods/spectral_document.hpp"
#include "cli/options/checks.hpp"
#include "cli/summary.hpp"
#include "mechanism/oja/oja.hpp"
#include "mechanism/spiked/gap_projector.hpp"
#include "random/chi_square.hpp"
#include "random/haar.hpp"
#include "random/normal.hpp"

namespace eigenveil::cli {
namespace {

/// oja: one component, one pass over a stream.
class OjaMethod final : public Method {
 public:
  std::string name() const override { return "oja"; }
  std::string budgets() const override {
    return "(epsilon, delta), rho, mu; one component, replace-one or zero-row";
  }
  bool serves(Task task) const override { return task == Task::Components; }
  void declare(CLI::App& app) override {
    constexpr const char* kGroup = "Method oja";
    app.add_option("--batch", batch_, "rows per step (default 1000)")
        ->check(whole_number(1))
        ->group(kGroup);
    app.add_option("--contribution", contribution_,
                   "shorten a row's contribution x (x . w) to this norm (default: the squared row "
                   "norm)")
        ->group(kGroup);
  }
  std::string option_given() const override {
    return contribution_ ? "--contribution" : (batch_ != kDefaultBatch ? "--batch" : "");
  }
  Outcome release(const ReleaseRequest& request) const override;
  Outcome plan(const PlanRequest& request) const override;
  std::optional<PredictedError> predicted_error(const AssumedSetting& setting) const override;

 private:
  Result<OjaPlan> oja_plan(const Request& what, const RowBound& bound) const;

  static constexpr std::size_t kDefaultBatch = 1000;
  std::size_t batch_ = kDefaultBatch;
  std::optional<double> contribution_;
};

Result<OjaPlan> OjaMethod::oja_plan(const Request& what, const RowBound& bound) const {
  if (const Result<void> checked = check_subspace_request(what, "oja"); !checked) {
    return error_of(checked);
  }
  if (what.components != 1) {
    return bad_request("method oja finds one component; give -k 1");
  }
  const Result<Budget> budget = what.budget.budget();
  if (!budget) {
    return error_of(budget);
  }
  return what.budget.relation().and_then([&](Relation relation) {
    return OjaPlan::make({row_radius(bound, what.units()), bound.dimension(), batch_, contribution_,
                          *budget, relation, what.budget.group_size});
  });
}

Outcome OjaMethod::release(const ReleaseRequest& request) const {
  if (request.input.is_gram()) {
    return bad_request("method oja sees rows one by one; a .gram file has none");
  }
  Result<ExactPass> pass = ExactPass::open(request.input, request.what.bounds);
  if (!pass) {
    return error_of(pass);
  }
  const Result<OjaPlan> plan = oja_plan(request.what, pass->bound());
  if (!plan) {
    return error_of(plan);
  }
  if (const Result<void> writable = request.output.check_writable(); !writable) {
    return error_of(writable);
  }
  const std::unique_ptr<RowReader> reader = pass->take_reader(request.output.is_quiet());
  RandomStream stream = request.output.stream();
  OjaPass oja(*plan, stream);
  const Result<std::size_t> count = add_rows(oja, *reader, pass->bound(), request.what.units());
  if (!count) {
    return error_of(count);
  }
  const Release<Vector> release = oja.finish();
  ReleaseDocument document =
      spectral_document(request.what, "oja", release.guarantee(), pass->bound(), pass->schema());
  document.parameters.emplace_back("batch", static_cast<std::int64_t>(batch_));
  document.parameters.emplace_back("sensitivity_of_a_batch", plan->sensitivity());
  document.result.emplace_back("rows", static_cast<double>(*count));
  document.result.emplace_back("batch_noise_sd", plan->noise_sd());
  add_loadings(document, pass->schema(), release.value());
  return publish(document, request.output,
                 {request.input.display_name(),
                  describe_bound(pass->bound()),
                  {fmt::format("  noise       standard deviation {:.4g} on every entry of a "
                               "batch's sum, batches of {} rows",
                               plan->noise_sd(), batch_)}});
}

Outcome OjaMethod::plan(const PlanRequest& request) const {
  return plan_for_spectrum(
      request, [&](const RowBound& bound) { return oja_plan(request.what, bound); },
      [&](const OjaPlan& plan, const Vector& spectrum) {
        nlohmann::ordered_json facts = plan_head(request, "oja", plan.guarantee());
        facts["sensitivity_of_a_batch"] = plan.sensitivity();
        facts["batch_noise_sd"] = plan.noise_sd();
        if (spectrum.size() > 0) {
          facts["predicted_error_f2"] =
              predicted_oja_error(plan, static_cast<double>(request.rows), spectrum);
        }
        if (request.json) {
          fmt::print("{}\n", facts.dump(2));
          return;
        }
        fmt::print("Plan for pca by method oja: {} rows, {} columns (no data was read)\n",
                   request.rows, plan.request().dimension);
        fmt::print("  guarantee   {}\n  in words    {}\n", facts["guarantee"].get<std::string>(),
                   facts["in_words"].get<std::string>());
        fmt::print("  noise       standard deviation {:.4g} on every entry of a batch's sum\n",
                   plan.noise_sd());
        if (facts.contains("predicted_error_f2")) {
          fmt::print("  error       |UU' - VV'|_F^2 from the noise about {:.4g}\n",
                     facts["predicted_error_f2"].get<double>());
        }
      });
}

std::optional<PredictedError> OjaMethod::predicted_error(const AssumedSetting& setting) const {
  return predicted_oja_error(setting, batch_, contribution_);
}

}  // namespace

std::unique_ptr<Method> oja_method() {
  return std::make_unique<OjaMethod>();
}

}  // namespace eigenveil::cli
