#include <fmt/format.h>

#include <algorithm>

#include "engine/documents/learned_document.hpp"
#include "engine/methods/all.hpp"
#include "engine/methods/citations.hpp"
#include "engine/methods/subspace_pair.hpp"
#include "engine/outlook.hpp"
#include "mechanism/subspace/subspace_learner.hpp"

namespace eigenveil {
namespace {

constexpr double kUsefulAngle = 0.1;
/// Two answers within this of a third are within twice of each other; a sine ends at 1.
constexpr double kLargestAgreement = 0.5;
constexpr double kDefaultAngle = 0.1;
constexpr std::int64_t kDefaultReferences = 4;

/// The subspace near which the rows lie, learned on groups of rows.
class NearSubspaceMethod final : public Method {
 public:
  const MethodInfo& info() const override;
  Result<std::unique_ptr<Plan>> plan(const Request& request,
                                     const PublicFacts& facts) const override;
  Result<Guarantee> stated(const Request& request) const override;
  Result<PlanFacts> outlook(const Request& request, const AssumedTable& table) const override;
};

OptionSpec factor_option(std::string name, std::string sentence) {
  return {.name = std::move(name),
          .kind = OptionKind::Number,
          .sentence = std::move(sentence),
          .range = kPositive,
          .otherwise = 1.0};
}

const MethodInfo& NearSubspaceMethod::info() const {
  static const MethodInfo info{
      .name = "near",
      .sentence = "the subspace near which the rows lie; rows of any length",
      .budgets = "(epsilon, delta), replace-one",
      .tasks = {Task::Subspace},
      .options = {aggregate_option(),
                  {.name = "gamma",
                   .kind = OptionKind::Number,
                   .sentence = "sqrt(lambda_(k+1) / lambda_k) the data have at most; without it a "
                               "ladder of values is searched privately, which costs budget",
                   .range = kOpenUnit},
                  {.name = "groups",
                   .kind = OptionKind::WholeNumber,
                   .sentence = "number of groups of rows",
                   .smallest = 3,
                   .largest = 20'000,
                   .otherwise_in_words = "planned"},
                  {.name = "references",
                   .kind = OptionKind::WholeNumber,
                   .sentence = "reference points per direction",
                   .largest = 100,
                   .otherwise = kDefaultReferences},
                  factor_option("cell_factor", "grid: cell side over the planned one"),
                  factor_option("radius_factor", "core: radius over the planned one"),
                  {.name = "largest_noise_angle",
                   .kind = OptionKind::Share,
                   .sentence = "answer NULL when noise may turn the subspace by more than this "
                               "sine; at 0.707 noise is as large as the signal",
                   .otherwise = SubspaceRequest::kNoiseAsLargeAsSignal},
                  {.name = "failure_probability",
                   .kind = OptionKind::Share,
                   .sentence = "boosted: learn on disjoint parts and take what most agree on"},
                  {.name = "angle",
                   .kind = OptionKind::Share,
                   .sentence = "boosted: sine of the angle that counts as agreement",
                   .otherwise = kDefaultAngle}},
      .needs_row_count = true,
      .reads_rows = true,
      .is_default_for = DefaultFor::EveryBudget,
      .spends_pair = true,
      .papers = {cited::kSubspaces, cited::kFriendlyCore}};
  return info;
}

double agreement_angle(const Request& request) {
  return request.options.value("angle", kDefaultAngle);
}

std::size_t parts_in(const Request& request) {
  const auto failure = request.options.find<double>("failure_probability");
  return failure ? boosting_parts(*failure) : 1;
}

SubspaceAggregate near_aggregate(const Request& request) {
  return request.options.value("aggregate", std::string()) == "grid" ? SubspaceAggregate::Grid
                                                                     : SubspaceAggregate::Core;
}

SubspaceRequest near_request(const Request& request, std::size_t rows, std::size_t dimension,
                             const ApproxDp& budget) {
  const Options& options = request.options;
  const auto groups = options.find<std::int64_t>("groups");
  return {rows / parts_in(request),
          dimension,
          static_cast<std::size_t>(request.components),
          budget,
          near_aggregate(request),
          options.find<double>("gamma"),
          groups ? std::optional(static_cast<std::size_t>(*groups)) : std::nullopt,
          static_cast<std::size_t>(options.value("references", kDefaultReferences)),
          options.value("cell_factor", 1.0),
          options.value("radius_factor", 1.0),
          options.value("largest_noise_angle", SubspaceRequest::kNoiseAsLargeAsSignal)};
}

Result<void> check_near_words(const Request& request) {
  const auto aggregate = request.options.find<std::string>("aggregate");
  if (aggregate && *aggregate != "core" && *aggregate != "grid") {
    return bad_request("{aggregate} gapmax and votes need {exact}", "aggregate");
  }
  if (request.options.given("failure_probability") &&
      !(agreement_angle(request) < kLargestAgreement)) {
    return bad_request(
        "{angle} must be below 0.5 with {failure_probability}: answers further apart do not agree",
        "angle");
  }
  return {};
}

/// The plan for one part; a refusal names all rows, the parts, and the rows that would do.
Result<SubspacePlan> near_plan_for(const Request& request, std::size_t rows,
                                   std::size_t dimension) {
  constexpr std::size_t kMostPlannedRows = std::size_t{1} << 24U;
  const Result<ApproxDp> pair =
      check_near_words(request).and_then([&] { return subspace_pair(request); });
  if (!pair) {
    return error_of(pair);
  }
  Result<SubspacePlan> planned = SubspacePlan::make(near_request(request, rows, dimension, *pair));
  const std::size_t parts = parts_in(request);
  if (planned || parts == 1) {
    return planned;
  }
  for (std::size_t enough = std::max<std::size_t>(rows, 64); enough < kMostPlannedRows;
       enough *= 2) {
    if (SubspacePlan::make(near_request(request, enough, dimension, *pair))) {
      return bad_request(
          fmt::format("{} rows are too few for the {} parts of {{failure_probability}}, which "
                      "leave {} in each; {} would do, or a larger {{failure_probability}}",
                      rows, parts, rows / parts, enough),
          "failure_probability");
    }
  }
  return planned;
}

class NearPlan final : public Plan {
 public:
  NearPlan(const Request& request, PublicFacts facts, SubspacePlan made)
      : boost_{parts_in(request), agreement_angle(request), static_cast<std::size_t>(*facts.rows)},
        facts_(std::move(facts)),
        made_(std::move(made)) {}
  const Guarantee& guarantee() const override { return made_.guarantee(); }
  const PublicFacts& facts() const override { return facts_; }
  std::unique_ptr<Run> make_run(RandomStream& stream, int threads) const override {
    return std::make_unique<NearRun>(*this, stream, threads);
  }

 private:
  class NearRun final : public Run {
   public:
    NearRun(const NearPlan& plan, RandomStream& stream, int threads)
        : plan_(plan),
          learner_(plan.made_, plan.boost_.parts, plan.boost_.angle, stream, threads) {}
    Result<void> take_rows(RowReader& rows) override;
    Result<ReleaseDocument> finish() override {
      if (learner_.rows() != plan_.boost_.rows) {
        return bad_request(fmt::format("the table has {} rows, not {} as {{rows}} says",
                                       learner_.rows(), plan_.boost_.rows),
                           "rows");
      }
      return learned_document(plan_.made_, plan_.boost_, plan_.facts_.schema,
                              std::move(learner_).finish());
    }

   private:
    const NearPlan& plan_;
    SubspaceLearner learner_;
  };

  BoostSettings boost_;
  PublicFacts facts_;
  SubspacePlan made_;
};

Result<void> NearPlan::NearRun::take_rows(RowReader& rows) {
  RawRows block;
  while (true) {
    if (const Result<void> read = rows.read(block); !read || block.rows == 0) {
      return read;
    }
    for (std::size_t r = 0; r < block.rows; ++r) {
      learner_.add(block.values.data() + r * block.dimension);
    }
  }
}

Result<std::unique_ptr<Plan>> NearSubspaceMethod::plan(const Request& request,
                                                       const PublicFacts& facts) const {
  return near_plan_for(request, static_cast<std::size_t>(*facts.rows), facts.schema.dimension())
      .map([&](SubspacePlan&& made) -> std::unique_ptr<Plan> {
        return std::make_unique<NearPlan>(request, facts, std::move(made));
      });
}

Result<Guarantee> NearSubspaceMethod::stated(const Request& request) const {
  return check_near_words(request)
      .and_then([&] { return subspace_pair(request); })
      .map([&](const ApproxDp& pair) {
        return SubspacePlan::stated(pair, near_aggregate(request));
      });
}

void add_aggregate(Outlook& outlook, const SubspacePlan& plan) {
  if (plan.cell_side() > 0.0) {
    outlook.json()["cell_side"] = plan.cell_side();
    outlook.json()["answer_probability"] = plan.answer_probability();
    outlook.line("cells",
                 fmt::format("side {:.4g}; one wins with probability about {:.2f}, and "
                             "holds all groups with about {:.2g}",
                             plan.cell_side(), plan.answer_probability(), plan.agreement()));
    return;
  }
  outlook.json()["radii"] = plan.radii();
  outlook.line(
      "core",
      fmt::format("radius {:.4g}{}; Gaussian rows give it about {:.0f}% of full weight",
                  plan.radii().front(),
                  plan.radii().size() > 1 ? fmt::format(" to {:.4g}", plan.radii().back()) : "",
                  100.0 * plan.agreement()));
}

Result<PlanFacts> NearSubspaceMethod::outlook(const Request& request,
                                              const AssumedTable& table) const {
  return near_plan_for(request, static_cast<std::size_t>(table.rows), table.schema.dimension())
      .map([&](const SubspacePlan& plan) {
        const GroupShape& shape = plan.shape();
        const std::size_t parts = parts_in(request);
        Outlook outlook(request, plan.aggregate_name(), plan.guarantee(), table);
        outlook.json()["parts"] = parts;
        outlook.json()["groups"] = shape.groups;
        outlook.json()["rows_per_group"] = shape.per_group;
        outlook.json()["reference_points"] = shape.references;
        outlook.json()["agreement"] = plan.agreement();
        outlook.json()["largest_gamma"] = plan.largest_gamma(kUsefulAngle);
        outlook.line("groups", fmt::format("{}{} of {} rows, {} reference points",
                                           parts > 1 ? fmt::format("{} parts, each ", parts) : "",
                                           shape.groups, shape.per_group, shape.references));
        add_aggregate(outlook, plan);
        if (const auto gamma = request.options.find<double>("gamma")) {
          const double angle = plan.predicted_angle(*gamma);
          const bool lost = angle > request.options.value("largest_noise_angle",
                                                          SubspaceRequest::kNoiseAsLargeAsSignal);
          outlook.json()["predicted_angle"] = angle;
          outlook.line("error", fmt::format("sine of the angle about {:.3g} at gamma = {:.3g}{}",
                                            angle, *gamma, lost ? ": expect NULL" : ""));
        }
        outlook.line("gamma", fmt::format("angle below {} needs gamma below about {:.2g} (first "
                                          "order)",
                                          kUsefulAngle, plan.largest_gamma(kUsefulAngle)));
        return std::move(outlook).finish();
      });
}

}  // namespace

const Method& near_subspace_method() {
  static const NearSubspaceMethod method;
  return method;
}

}  // namespace eigenveil
