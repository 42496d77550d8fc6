#include "mechanism/orbit/orbit.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/parameter_names.hpp"
#include "eigenveil/engine/gram_plan.hpp"
#include "engine/documents/orbit_document.hpp"
#include "engine/methods/all.hpp"
#include "engine/methods/citations.hpp"
#include "engine/methods/orbit_plan_facts.hpp"
#include "engine/methods/orbit_words.hpp"
#include "engine/parameters.hpp"
#include "mechanism/orbit/orbit_bounds.hpp"

namespace eigenveil {
namespace {

constexpr const char* kNoPrivateMeanOfOrbit =
    "method orbit draws from second moments about a public centre and releases no mean; leave out "
    "{center private}, or take {method wishart}";

/// Draws on unitary orbits: pca (projections), lowrank and covariance (noisy eigenvalues), and
/// lowrank with a prescribed spectrum.
class OrbitMethod final : public Method {
 public:
  const MethodInfo& info() const override;
  bool asked_for(const Request& request) const override {
    return request.options.flag("complex_rows") || request.options.given("target_spectrum");
  }
  Result<std::unique_ptr<Plan>> plan(const Request& request,
                                     const PublicFacts& facts) const override;
  Result<PlanFacts> outlook(const Request& request, const AssumedTable& table) const override;
  std::optional<PredictedError> predicted_error(const Request& /*request*/,
                                                const AssumedSetting& setting) const override {
    return predicted_orbit_error(setting);
  }
};

std::vector<OptionSpec> orbit_options() {
  OptionSpec inside = variance_share_option();
  inside.tasks = {Task::Components};
  return {
      inside,
      calibration_option(),
      {.name = "eigenvalue_share",
       .kind = OptionKind::Share,
       .sentence = "share of the budget for the eigenvalues",
       .otherwise_in_words = "from the sizes",
       .tasks = {Task::Covariance, Task::LowRank}},
      {.name = "complex_rows",
       .kind = OptionKind::Flag,
       .sentence = "columns come in pairs, real and imaginary part of one coordinate, as a "
                   "complex .npy array is read; without this they are real columns of their "
                   "own (the dimension of a plan counts real columns, two for each coordinate)"},
      {.name = "target_spectrum",
       .kind = OptionKind::Spectrum,
       .sentence = "public eigenvalues the result must have, one per line: the nearest such "
                   "matrix",
       .tasks = {Task::LowRank}},
      {.name = "hermitian",
       .kind = OptionKind::Flag,
       .sentence = "also release the Hermitian matrix that was drawn, as two real arrays"},
      {.name = "unbounded_time",
       .kind = OptionKind::Flag,
       .sentence = "allow sizes whose exact draw could take very long"}};
}

const MethodInfo& OrbitMethod::info() const {
  static const MethodInfo info{
      .name = "orbit",
      .sentence = "directions drawn exactly on a unitary orbit, noise on eigenvalues",
      .budgets = "pure epsilon, rho, mu",
      .tasks = {Task::Components, Task::Covariance, Task::LowRank},
      .options = orbit_options(),
      .papers = {cited::kOrbits, cited::kExponentialMechanism},
      .plain = "The directions are drawn, the better the likelier"};
  return info;
}

RowField field_of(const Request& request) {
  return request.options.flag("complex_rows") ? RowField::Complex : RowField::Real;
}

/// The matrix must have this spectrum; it is one of scaled units.
std::optional<Vector> target_of(const Request& request) {
  const auto values = request.options.find<std::vector<double>>("target_spectrum");
  return values ? std::optional<Vector>(Eigen::Map<const Vector>(
                      values->data(), static_cast<Eigen::Index>(values->size())))
                : std::nullopt;
}

Units units_of(const Request& request) {
  return request.options.given("target_spectrum") ? Units::Scaled : request.units;
}

Result<OrbitRequest> orbit_request(const Request& request, const RowBound& bound) {
  if (request.private_mean()) {
    return bad_request(kNoPrivateMeanOfOrbit, "center");
  }
  if (request.options.given("target_spectrum") && request.options.given("eigenvalue_share")) {
    return bad_request(
        "{target_spectrum} needs no budget for eigenvalues; leave out {eigenvalue_share}",
        "eigenvalue_share");
  }
  return OrbitRequest{bound,
                      column_scales(bound, units_of(request)),
                      *request.budget,
                      request.relation,
                      field_of(request),
                      request.published() ? OrbitCalibration::Published : OrbitCalibration::Tight,
                      request.group_size,
                      request.options.flag("unbounded_time")};
}

Eigen::Index rank_of(const Request& request, const RowBound& bound) {
  return request.takes_rank() ? request.components
                              : coordinates_of(bound.dimension(), field_of(request));
}

/// The spectrum decides the rank; a number of components beside it must agree.
Result<OrbitPlan> target_plan(const Request& request, const OrbitRequest& orbit,
                              const Vector& spectrum) {
  if (request.components_given && request.components != spectrum.size()) {
    return bad_request(fmt::format("{{components}} and {{target_spectrum}} disagree: it has {} "
                                   "eigenvalues; leave out {{components}}",
                                   spectrum.size()),
                       "components");
  }
  return OrbitPlan::make(orbit, spectrum);
}

Result<OrbitComponentsPlan> components_plan(const Request& request, const OrbitRequest& orbit) {
  return OrbitComponentsPlan::make(orbit, request.components, request.variance_share());
}

Result<LowRankPlan> low_rank_plan(const Request& request, const OrbitRequest& orbit) {
  return LowRankPlan::make(orbit, rank_of(request, orbit.bound),
                           request.options.find<double>("eigenvalue_share"));
}

OrbitDocumentHead head_of(const Request& request, const PublicFacts& facts, Fields parameters) {
  Request stated = request;
  stated.units = units_of(request);
  parameters.emplace_back("calibration", std::string(request.published() ? "published" : "tight"));
  parameters.emplace_back("rows_are",
                          std::string(request.options.flag("complex_rows") ? "complex" : "real"));
  return {public_parameters_of(stated, facts.bound), facts.schema, std::move(parameters),
          std::string(name_of(request.task)), request.options.flag("hermitian")};
}

std::unique_ptr<Plan> as_plan(const Request& request, const PublicFacts& facts,
                              OrbitComponentsPlan made) {
  return gram_plan(facts, std::move(made),
                   [request, facts](const OrbitComponentsPlan& plan, const auto& release) {
                     return orbit_components_document(
                         head_of(request, facts,
                                 {{"direction_epsilon_per_row", plan.direction_budget().epsilon},
                                  variance_parameter(plan.variance_budget()),
                                  {"exponent", plan.exponent()},
                                  {"gdp_mu", plan.gaussian().mu}}),
                         release, field_of(request));
                   });
}

std::unique_ptr<Plan> as_plan(const Request& request, const PublicFacts& facts,
                              const OrbitRequest& orbit, LowRankPlan made) {
  const double norm2 = scaled_norm2_bound(orbit.bound, orbit.scales);
  return gram_plan(facts, std::move(made),
                   [request, facts, norm2](const LowRankPlan& plan, const auto& release) {
                     return low_rank_document(
                         head_of(request, facts,
                                 {{"eigenvalue_share", plan.eigenvalue_share()},
                                  eigenvalue_parameter(plan.eigenvalue_budget()),
                                  {"direction_epsilon_per_row", plan.direction_budget().epsilon},
                                  {"gdp_mu", plan.gaussian().mu}}),
                         release, norm2, field_of(request));
                   });
}

std::unique_ptr<Plan> as_plan(const Request& request, const PublicFacts& facts, OrbitPlan made) {
  return gram_plan(
      facts, std::move(made), [request, facts](const OrbitPlan& plan, const auto& release) {
        return target_document(head_of(request, facts,
                                       {{"direction_epsilon_per_row", plan.per_row().epsilon},
                                        {"exponent", plan.exponent()},
                                        {"gdp_mu", plan.gaussian().mu}}),
                               release, field_of(request));
      });
}

Result<std::unique_ptr<Plan>> OrbitMethod::plan(const Request& request,
                                                const PublicFacts& facts) const {
  const Result<OrbitRequest> orbit = orbit_request(request, facts.bound);
  if (!orbit) {
    return error_of(orbit);
  }
  if (const Result<void> paired = check_pairs(shown(facts.schema.columns), field_of(request));
      !paired) {
    return error_of(paired);
  }
  if (const std::optional<Vector> target = target_of(request)) {
    return target_plan(request, *orbit, *target).map([&](OrbitPlan&& made) {
      return as_plan(request, facts, std::move(made));
    });
  }
  if (request.wants_components()) {
    return components_plan(request, *orbit).map([&](OrbitComponentsPlan&& made) {
      return as_plan(request, facts, std::move(made));
    });
  }
  return low_rank_plan(request, *orbit).map([&](LowRankPlan&& made) {
    return as_plan(request, facts, *orbit, std::move(made));
  });
}

Result<PlanFacts> facts_of(const Request& request, const OrbitRequest& orbit,
                           const AssumedTable& assumed) {
  const OrbitTable table{std::string(name_of(request.task)), static_cast<double>(assumed.rows)};
  const auto said = [&](const Guarantee& guarantee, const nlohmann::ordered_json& numbers) {
    PlanFacts facts = orbit_facts(request, orbit.bound, assumed, numbers);
    facts.guarantee = guarantee;
    return facts;
  };
  if (const std::optional<Vector> target = target_of(request)) {
    return target_plan(request, orbit, *target).map([&](const OrbitPlan& plan) {
      return said(plan.guarantee(), target_facts(table, plan));
    });
  }
  if (request.wants_components()) {
    return components_plan(request, orbit).map([&](const OrbitComponentsPlan& plan) {
      return said(plan.guarantee(), components_facts(table, plan, assumed.spectrum));
    });
  }
  return low_rank_plan(request, orbit).map([&](const LowRankPlan& plan) {
    return said(plan.guarantee(), low_rank_facts(table, plan, assumed.spectrum));
  });
}

Result<PlanFacts> OrbitMethod::outlook(const Request& request, const AssumedTable& table) const {
  const Result<RowBound> bound = table.bound({});
  if (!bound) {
    return error_of(bound);
  }
  return orbit_request(request, *bound).and_then([&](const OrbitRequest& orbit) {
    return facts_of(request, orbit, table);
  });
}

}  // namespace

const Method& orbit_method() {
  static const OrbitMethod method;
  return method;
}

}  // namespace eigenveil
