#include "mechanism/sharp/sharp.hpp"

#include <fmt/format.h>

#include <cmath>

#include "eigenveil/engine/gram_plan.hpp"
#include "engine/documents/subspace_document.hpp"
#include "engine/methods/all.hpp"
#include "engine/methods/citations.hpp"
#include "engine/methods/sharp_outlook.hpp"
#include "engine/parameters.hpp"
#include "mechanism/sharp/sharp_privacy.hpp"

namespace eigenveil {
namespace {

constexpr const char* kPrivateSpectrum =
    "the spectrum of the rows is private, and a noise level chosen from it would leak. Leave out "
    "{data_spectrum} (a private calibration is then paid for), or add {spectrum_is_public} if "
    "these "
    "eigenvalues are public knowledge";

class SharpMethod final : public Method {
 public:
  const MethodInfo& info() const override;
  Result<std::unique_ptr<Plan>> plan(const Request& request,
                                     const PublicFacts& facts) const override;
  Result<PlanFacts> outlook(const Request& request, const AssumedTable& table) const override {
    return sharp_outlook(request, table);
  }
  std::optional<PredictedError> predicted_error(const Request& request,
                                                const AssumedSetting& setting) const override {
    return predicted_sharp_error(setting, calibration_share(request));
  }
};

const MethodInfo& SharpMethod::info() const {
  static const MethodInfo info{
      .name = "sharp",
      .sentence = "directions drawn at the level the data allow; asymptotic guarantee only",
      .budgets = "mu, (epsilon, delta), rho; asymptotic only",
      .tasks = {Task::Components},
      .options = {variance_share_option(),
                  calibration_option(),
                  {.name = "data_spectrum",
                   .kind = OptionKind::Spectrum,
                   .sentence =
                       "eigenvalues of the covariance of rows with squared norm at most p, one "
                       "per line; private unless declared public"},
                  {.name = "spectrum_is_public",
                   .kind = OptionKind::Flag,
                   .sentence = "the eigenvalues of {data_spectrum} are public knowledge"},
                  {.name = "beta",
                   .kind = OptionKind::Number,
                   .sentence = "plan: the noise level itself instead of a budget",
                   .range = {.low = 0.0}},
                  {.name = "calibration_share",
                   .kind = OptionKind::Share,
                   .sentence = "share of mu^2 for calibrating on the data",
                   .otherwise = kDefaultCalibrationShare}},
      .takes_ranks = true,
      .plans_without_budget = true,
      .basis = Basis::Asymptotic,
      .papers = {"Y. Yun, R. Dudeja. High-Dimensional Asymptotics of Differentially Private PCA. "
                 "arXiv 2511.07270, 2025."},
      .plain = "Directions drawn at the level that many people allow"};
  return info;
}

Fields parameters_of(const Request& request, const SharpPlan& plan) {
  Fields fields = {
      {"variance_share", request.variance_share()},
      {"mu_row_count", plan.row_count_mu()},
      {"mu_calibration", plan.calibration_mu()},
      {"mu_draw", plan.draw_mu()},
      {"calibration", std::string(request.published() ? "published plug-in" : "margins of 3 sd")}};
  if (request.rank_transform) {
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

FactLine remark(const SharpSettlement& settled, const Request& request) {
  if (!settled.beta) {
    return {
        "outcome",
        "NULL, not achievable: at this size no noise level meets the target; nothing was drawn, "
        "and the calibration is spent"};
  }
  if (request.rank_transform) {  // one row shifts the ranks of all: nothing holds for all data
    return {"noise level", fmt::format("beta {:.4g}", *settled.beta)};
  }
  return {
      "noise level",
      fmt::format(
          "beta {:.4g}; for every data set {} is {:.4g}-DP for one row{}", *settled.beta,
          request.components > 1 ? "the exact law of the draw" : "the draw alone",
          settled.worst_case_epsilon,
          request.group_size == 1
              ? ""
              : fmt::format(", {:.4g}-DP for the {} rows protected together",
                            request.group_size * settled.worst_case_epsilon, request.group_size))};
}

Result<std::unique_ptr<Plan>> SharpMethod::plan(const Request& request,
                                                const PublicFacts& facts) const {
  return make_sharp_plan(request, facts.bound).map([&](SharpPlan&& made) {
    return gram_plan(
        facts, std::move(made),
        [request, bound = facts.bound](const SharpPlan& plan, const SharpPlan::Outcome& outcome) {
          ReleaseDocument document = subspace_document(
              outcome.release, public_parameters_of(request, bound), parameters_of(request, plan),
              result_of(outcome.settlement, request.rank_transform));
          if (!outcome.settlement.beta) {  // nothing was measured inside a subspace
            const double mu = plan.row_count_mu();
            add_count(document, outcome.settlement.rows, mu > 0.0 ? 1.0 / mu : 0.0);
          }
          document.remarks = {remark(outcome.settlement, request)};
          return document;
        });
  });
}

}  // namespace

Result<SharpPlan> make_sharp_plan(const Request& request, const RowBound& bound) {
  if (const Result<void> checked = request.check_components(bound.dimension()); !checked) {
    return error_of(checked);
  }
  if (request.options.given("beta")) {
    return bad_request(
        "{beta} is for plan: how private a given beta is depends on the rows; give {mu} instead",
        "beta");
  }
  if (request.private_mean()) {
    return bad_request("method sharp works about a public centre; leave out {center private}",
                       "center");
  }
  const auto given = request.options.find<std::vector<double>>("data_spectrum");
  if (given && !request.options.flag("spectrum_is_public")) {
    return bad_request(kPrivateSpectrum, "data_spectrum");
  }
  std::optional<Vector> spectrum;
  if (given) {
    spectrum = Eigen::Map<const Vector>(given->data(), static_cast<Eigen::Index>(given->size()));
  }
  return SharpPlan::make({bound, column_scales(bound, request.units), *request.budget,
                          request.relation, request.group_size, request.components,
                          request.variance_share(), calibration_share(request), request.published(),
                          spectrum, request.rank_transform});
}

double calibration_share(const Request& request) {
  return request.options.value("calibration_share", kDefaultCalibrationShare);
}

const Method& sharp_method() {
  static const SharpMethod method;
  return method;
}

}  // namespace eigenveil
