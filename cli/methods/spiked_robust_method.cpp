#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/methods/method.hpp"
#include "cli/methods/planned_gram.hpp"
#include "cli/methods/planned_spectrum.hpp"
#include "cli/methods/spectral_document.hpp"
#include "cli/summary.hpp"
#include "mechanism/spiked/gap_projector.hpp"
#include "mechanism/spiked/noisy_projector.hpp"
#include "random/normal.hpp"

namespace eigenveil::cli {
namespace {

/// spiked-robust: projector noise that adapts to a noisy eigengap; holds for every data set.
class SpikedRobustMethod final : public Method {
 public:
  std::string name() const override { return "spiked-robust"; }
  std::string budgets() const override { return "(epsilon, delta)"; }
  bool serves(Task task) const override { return task == Task::Components; }
  bool takes_variance_share() const override { return true; }
  Outcome release(const ReleaseRequest& request) const override;
  Outcome plan(const PlanRequest& request) const override;
  std::optional<PredictedError> predicted_error(const AssumedSetting& setting) const override;
};

Result<GapPlan> gap_plan(const Request& what, const RowBound& bound) {
  if (const Result<void> checked = check_subspace_request(what, "spiked-robust"); !checked) {
    return error_of(checked);
  }
  if (const Result<void> checked = what.check_components(bound.dimension()); !checked) {
    return error_of(checked);
  }
  const Result<Budget> budget = what.budget.budget();
  if (!budget) {
    return error_of(budget);
  }
  return what.budget.relation().and_then([&](Relation relation) {
    return GapPlan::make({bound, what.units(), *budget, relation, what.components,
                          what.share_for_variance(), what.budget.group_size});
  });
}

ReleaseDocument document_of(const Request& request, const GapPlan& plan, const Schema& schema,
                            const Release<GapResult>& release) {
  const GapResult& result = release.value();
  ReleaseDocument document = spectral_document(request, "spiked-robust", release.guarantee(),
                                               plan.request().bound, schema);
  const bool count_is_public = row_count_is_public(plan.request().relation);
  document.parameters.emplace_back("delta_for_the_gap", plan.failure());
  document.result.emplace_back(count_is_public ? "rows" : "noisy_rows", result.count);
  if (!count_is_public) {
    document.result.emplace_back("noisy_rows_sd", result.count_sd);
  }
  document.result.emplace_back("gap_lower_bound_of_sum", result.gap_lower);
  document.result.emplace_back("gap_noise_sd", plan.gap_sd());
  document.result.emplace_back("null", !result.frame.has_value());
  if (!result.frame) {
    return document;
  }
  const double n = std::max(1.0, result.count);
  document.result.emplace_back("projector_noise_sd", result.projector_sd);
  const GapComponents components = gap_components(result);
  const Vector& variances = components.explained_variance;
  // No shares: the total variance is not released.
  add_variances(document,
                {variances, Vector::Constant(variances.size(), 4.0 * plan.inside_sd() / n)},
                plan.request().bound, request.units());
  add_loadings(document, schema, components.loadings);
  return document;
}

Outcome SpikedRobustMethod::release(const ReleaseRequest& request) const {
  const auto ready =
      plan_then_read(request, [&](const RowBound& bound) { return gap_plan(request.what, bound); });
  if (!ready) {
    return error_of(ready);
  }
  RandomStream stream = request.output.stream();
  const Release<GapResult> release = ready->plan.run(ready->gram, stream);
  std::vector<std::string> lines = {fmt::format(
      "  gap         at least {:.4g} in the sum of x x' (noisy)", release.value().gap_lower)};
  lines.push_back(release.value().frame
                      ? fmt::format("  projector   noise standard deviation {:.4g}",
                                    release.value().projector_sd)
                      : "  NULL        the noisy eigengap is too small for this budget: no "
                        "components are released (a legal outcome)");
  return publish(document_of(request.what, ready->plan, ready->gram.schema(), release),
                 request.output,
                 {request.input.display_name(), describe_bound(ready->bound), lines});
}

nlohmann::ordered_json plan_facts(const PlanRequest& request, const GapPlan& plan,
                                  const Vector& spectrum) {
  const auto n = static_cast<double>(request.rows);
  nlohmann::ordered_json facts = plan_head(request, "spiked-robust", plan.guarantee());
  facts["row_norm"] = plan.radius();
  facts["gap_noise_sd"] = plan.gap_sd() / n;
  facts["smallest_useful_gap"] = plan.smallest_useful_gap() / n;
  if (spectrum.size() > 0) {
    const Eigen::Index k = request.what.components;
    const double gap = n * (spectrum[k - 1] - spectrum[k]);
    const std::optional<double> sd = plan.projector_sd(plan.expected_lower(gap));
    facts["null_expected"] = !sd.has_value();
    if (sd) {
      facts["predicted_error_f2"] = projector_noise_error(spectrum.size(), k, *sd * std::sqrt(0.5));
    }
  }
  return facts;
}

void print_plan(const PlanRequest& request, const GapPlan& plan,
                const nlohmann::ordered_json& facts) {
  fmt::print(
      "Plan for pca by method spiked-robust: {} rows, {} columns, k = {} (no data was read)\n",
      request.rows, plan.request().bound.dimension(), request.what.components);
  fmt::print("  guarantee   {}\n  in words    {}\n", facts["guarantee"].get<std::string>(),
             facts["in_words"].get<std::string>());
  fmt::print("  bounds      rows of norm at most {:.4g}\n", plan.radius());
  fmt::print("  gap         noise of standard deviation {:.4g} on the k-th gap of the covariance\n",
             facts["gap_noise_sd"].get<double>());
  fmt::print("  needs       a gap of at least {:.4g}; below it the answer is NULL, mostly\n",
             facts["smallest_useful_gap"].get<double>());
  if (!facts.contains("null_expected")) {
    fmt::print("  error       not predicted: it depends on the gap; give --spectrum FILE\n");
  } else if (facts["null_expected"].get<bool>()) {
    fmt::print("  error       none: NULL is expected, the assumed gap is too small\n");
  } else {
    fmt::print("  error       |UU' - VV'|_F^2 from the noise about {:.4g}\n",
               facts["predicted_error_f2"].get<double>());
  }
}

Outcome SpikedRobustMethod::plan(const PlanRequest& request) const {
  return plan_for_spectrum(
      request, [&](const RowBound& bound) { return gap_plan(request.what, bound); },
      [&](const GapPlan& plan, const Vector& spectrum) {
        const nlohmann::ordered_json facts = plan_facts(request, plan, spectrum);
        if (request.json) {
          fmt::print("{}\n", facts.dump(2));
          return;
        }
        print_plan(request, plan, facts);
      });
}

std::optional<PredictedError> SpikedRobustMethod::predicted_error(
    const AssumedSetting& setting) const {
  return predicted_robust_error(setting);
}

}  // namespace

std::unique_ptr<Method> spiked_robust_method() {
  return std::make_unique<SpikedRobustMethod>();
}

}  // namespace eigenveil::cli
