#include "mechanism/exponential/exponential.hpp"

#include <fmt/format.h>

#include "engine/documents/subspace_document.hpp"
#include "engine/gram_method.hpp"
#include "engine/methods/all.hpp"
#include "engine/methods/citations.hpp"
#include "engine/parameters.hpp"
#include "mechanism/sharp/sharp_privacy.hpp"

namespace eigenveil {
namespace {

constexpr const char* kOneComponent =
    "method exponential draws one component; for several leave out {method}, or take {method "
    "orbit}, which draws a subspace";
constexpr const char* kNoPrivateMean =
    "method exponential draws its direction from second moments about a public centre and releases "
    "no mean; leave out {center private}, or take {method wishart}";

/// One component, drawn with density exp(c u'Gu).
class ExponentialMethod final : public GramMethod<ExponentialPlan> {
 public:
  ExponentialMethod()
      : GramMethod({.name = "exponential",
                    .sentence = "one direction, drawn exactly; no noise on entries",
                    .budgets = "k = 1: pure epsilon, rho, mu",
                    .tasks = {Task::Components},
                    .options = {variance_share_option()},
                    .papers = {cited::kExponentialMechanism},
                    .plain = "One direction is drawn, the better the likelier"}) {}
  std::optional<PredictedError> predicted_error(const Request& /*request*/,
                                                const AssumedSetting& setting) const override {
    return predicted_exponential_error(setting);
  }

 private:
  Result<ExponentialPlan> make(const Request& request, const RowBound& bound) const override;
  ReleaseDocument document(const Request& request, const PublicFacts& facts,
                           const ExponentialPlan& plan, const Drawn& drawn) const override;
  void describe(Outlook& outlook, const Request& request, const ExponentialPlan& plan,
                const RowBound& bound, const AssumedTable& table) const override;
};

Result<ExponentialPlan> ExponentialMethod::make(const Request& request,
                                                const RowBound& bound) const {
  if (request.components != 1) {
    return bad_request(kOneComponent, "components");
  }
  if (request.private_mean()) {
    return bad_request(kNoPrivateMean, "center");
  }
  return plan_exponential({bound, column_scales(bound, request.units), *request.budget,
                           request.relation, request.group_size, request.variance_share()});
}

Fields parameters_of(const Request& request, const ExponentialPlan& plan) {
  return {{"variance_share", request.variance_share()},
          {"exponent", plan.exponent()},
          {"direction_epsilon_per_row", plan.direction_epsilon()},
          {"zcdp_rho_per_row", plan.zcdp_rho()},
          {"gdp_mu", plan.gaussian().mu},
          {"frame_grid", 0x1p-30}};
}

ReleaseDocument ExponentialMethod::document(const Request& request, const PublicFacts& facts,
                                            const ExponentialPlan& plan, const Drawn& drawn) const {
  return subspace_document(drawn, public_parameters_of(request, facts.bound),
                           parameters_of(request, plan), {});
}

void ExponentialMethod::describe(Outlook& outlook, const Request& /*request*/,
                                 const ExponentialPlan& plan, const RowBound& bound,
                                 const AssumedTable& table) const {
  const auto n = static_cast<double>(table.rows);
  outlook.bound(bound);
  nlohmann::ordered_json& facts = outlook.json();
  facts["exponent"] = plan.exponent();
  facts["zcdp_rho_per_row"] = plan.zcdp_rho();
  facts["gdp_mu"] = plan.gaussian().mu;
  facts["noise_sd_variance"] = plan.projection().product_sd() / n;
  facts["noise_sd_rows"] = plan.projection().count_sd();
  outlook.line("direction", fmt::format("density exp({:.4g} n u'Su), S the second moment per row",
                                        plan.exponent()));
  outlook.line("variance", fmt::format("standard deviation {:.4g} along it",
                                       plan.projection().product_sd() / n));
  if (table.spectrum.size() > 1) {
    const double error = direction_error(plan, table.spectrum, n);
    facts["predicted_error_f2"] = error;
    outlook.line("error", fmt::format("|uu' - vv'|_F^2 about {:.4g} (worst 2; for the assumed "
                                      "spectrum)",
                                      error));
  }
}

}  // namespace

const Method& exponential_method() {
  static const ExponentialMethod method;
  return method;
}

}  // namespace eigenveil
