#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/documents/spectral_document.hpp"
#include "engine/gram_method.hpp"
#include "engine/methods/all.hpp"
#include "engine/methods/citations.hpp"
#include "mechanism/moment/noise_reach.hpp"
#include "mechanism/spiked/gap_projector.hpp"
#include "mechanism/spiked/noisy_projector.hpp"

namespace eigenveil {
namespace {

/// spiked-robust: projector noise that adapts to a noisy eigengap; holds for every data set.
class SpikedRobustMethod final : public GramMethod<GapPlan> {
 public:
  SpikedRobustMethod()
      : GramMethod({.name = "spiked-robust",
                    .sentence = "Gaussian noise on the projector, fitted to a noisy eigengap; may "
                                "answer NULL",
                    .budgets = "(epsilon, delta)",
                    .tasks = {Task::Components},
                    .options = {variance_share_option()},
                    .spends_pair = true,
                    .papers = {cited::kSpikedCovariance,
                               "C. Davis, W. M. Kahan. The Rotation of Eigenvectors by a "
                               "Perturbation. III. SIAM Journal on Numerical Analysis 7(1), 1970."},
                    .plain = "Noise fitted to the gaps: may answer “nothing to report”"}) {}
  std::optional<PredictedError> predicted_error(const Request& /*request*/,
                                                const AssumedSetting& setting) const override {
    return predicted_robust_error(setting);
  }

 private:
  Result<GapPlan> make(const Request& request, const RowBound& bound) const override;
  ReleaseDocument document(const Request& request, const PublicFacts& facts, const GapPlan& plan,
                           const Drawn& drawn) const override;
  void describe(Outlook& outlook, const Request& request, const GapPlan& plan,
                const RowBound& bound, const AssumedTable& table) const override;
};

Result<GapPlan> SpikedRobustMethod::make(const Request& request, const RowBound& bound) const {
  if (const Result<void> checked = check_public_center(request, "spiked-robust"); !checked) {
    return error_of(checked);
  }
  if (const Result<void> checked = request.check_components(bound.dimension()); !checked) {
    return error_of(checked);
  }
  return GapPlan::make({bound, request.units, *request.budget, request.relation, request.components,
                        request.variance_share(), request.group_size});
}

std::vector<FactLine> remarks_of(const GapResult& result) {
  return {{"gap", fmt::format("at least {:.4g} in the sum of x x' (noisy)", result.gap_lower)},
          result.frame
              ? FactLine{"projector",
                         fmt::format("noise standard deviation {:.4g}", result.projector_sd)}
              : FactLine{"NULL",
                         "the noisy eigengap is too small for this budget: no components are "
                         "released (a legal outcome)"}};
}

ReleaseDocument SpikedRobustMethod::document(const Request& request, const PublicFacts& facts,
                                             const GapPlan& plan, const Drawn& release) const {
  const Schema& schema = facts.schema;
  const GapResult& result = release.value();
  ReleaseDocument document = spectral_document(request, "spiked-robust", release.guarantee(),
                                               plan.request().bound, schema);
  document.remarks = remarks_of(result);
  document.parameters.emplace_back("delta_for_the_gap", plan.failure());
  add_count(document, result.count,
            row_count_is_public(plan.request().relation) ? 0.0 : result.count_sd);
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
  const EntryNoise inside{.scales = Vector::Ones(variances.size()),
                          .product = symmetric_noise(plan.inside_sd()).off_diagonal};
  document.result.emplace_back("noise_floor", noise_reach(inside, 0.0, n).floor);
  // Neither shares nor edge: the total variance is not released, nor what is outside.
  add_variances(document, {variances}, plan.request().bound, request.units);
  add_loadings(document, schema, components.loadings);
  return document;
}

void SpikedRobustMethod::describe(Outlook& outlook, const Request& request, const GapPlan& plan,
                                  const RowBound& bound, const AssumedTable& table) const {
  const auto n = static_cast<double>(table.rows);
  outlook.bound(bound);
  nlohmann::ordered_json& facts = outlook.json();
  facts["gap_noise_sd"] = plan.gap_sd() / n;
  facts["smallest_useful_gap"] = plan.smallest_useful_gap() / n;
  outlook.line("gap", fmt::format("noise of standard deviation {:.4g} on the k-th gap of the "
                                  "covariance",
                                  plan.gap_sd() / n));
  outlook.line("needs", fmt::format("a gap of at least {:.4g}; below it the answer is NULL, mostly",
                                    plan.smallest_useful_gap() / n));
  if (table.spectrum.size() == 0) {
    outlook.line("error", "not predicted: it depends on the gap; give {spectrum}");
    return;
  }
  const Eigen::Index k = request.components;
  const double gap = n * (table.spectrum[k - 1] - table.spectrum[k]);
  const std::optional<double> sd = plan.projector_sd(plan.expected_lower(gap));
  facts["null_expected"] = !sd.has_value();
  if (!sd) {
    outlook.line("error", "none: NULL is expected, the assumed gap is too small");
    return;
  }
  const double error = projector_noise_error(table.spectrum.size(), k, *sd * std::sqrt(0.5));
  facts["predicted_error_f2"] = error;
  outlook.line("error", fmt::format("|UU' - VV'|_F^2 from the noise about {:.4g}", error));
}

}  // namespace

const Method& spiked_robust_method() {
  static const SpikedRobustMethod method;
  return method;
}

}  // namespace eigenveil
