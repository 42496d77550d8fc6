#include <fmt/format.h>

#include "data/exact_rows.hpp"
#include "engine/documents/learned_document.hpp"
#include "engine/methods/all.hpp"
#include "engine/methods/citations.hpp"
#include "engine/methods/subspace_pair.hpp"
#include "engine/outlook.hpp"

namespace eigenveil {
namespace {

constexpr std::int64_t kDefaultLargestNumber = 1000;
constexpr std::int64_t kLargestNumber = std::int64_t{1} << 50U;
constexpr std::int64_t kMostExceptions = std::int64_t{1} << 40U;

/// The subspace that holds the points exactly.
class ExactSubspaceMethod final : public Method {
 public:
  const MethodInfo& info() const override;
  bool asked_for(const Request& request) const override { return request.options.flag("exact"); }
  Result<std::unique_ptr<Plan>> plan(const Request& request,
                                     const PublicFacts& facts) const override;
  Result<Guarantee> stated(const Request& request) const override;
  Result<PlanFacts> outlook(const Request& request, const AssumedTable& table) const override;
};

const MethodInfo& ExactSubspaceMethod::info() const {
  static const MethodInfo info{
      .name = "exact",
      .sentence = "the subspace in which points of whole numbers or fractions lie exactly",
      .budgets = "(epsilon, delta), replace-one",
      .tasks = {Task::Subspace},
      .options = {aggregate_option(),
                  {.name = "exact",
                   .kind = OptionKind::Flag,
                   .sentence = "the rows lie exactly in the subspace: whole numbers or fractions"},
                  {.name = "affine",
                   .kind = OptionKind::Flag,
                   .sentence = "the subspace need not contain the origin"},
                  {.name = "exceptions",
                   .kind = OptionKind::WholeNumber,
                   .sentence = "gapmax: rows that may lie elsewhere",
                   .smallest = 0,
                   .largest = kMostExceptions,
                   .otherwise_in_words = "as many as possible"},
                  {.name = "max_abs",
                   .kind = OptionKind::WholeNumber,
                   .sentence = "public bound on the whole numbers; a row beyond it counts as zero",
                   .largest = kLargestNumber,
                   .otherwise = kDefaultLargestNumber},
                  {.name = "calibration",
                   .kind = OptionKind::Word,
                   .sentence = "tight, or published: gapmax as Singhal and Steinke print it, NOT "
                               "PRIVATE",
                   .words = {"tight", "published"},
                   .otherwise = std::string("tight")}},
      .needs_row_count = true,
      .reads_rows = true,
      .reads_exact_rows = true,
      .spends_pair = true,
      .papers = {cited::kSubspaces}};
  return info;
}

bool is_affine(const Request& request) {
  return request.options.flag("affine");
}

Result<ExactAggregate> exact_aggregate(const Request& request) {
  const std::string word = request.options.value("aggregate", std::string());
  if (word == "core" || word == "grid") {
    return bad_request("with {exact}, {aggregate} is gapmax or votes", "aggregate");
  }
  return word == "votes"                           ? ExactAggregate::Votes
         : word == "gapmax" || request.published() ? ExactAggregate::GapMax
                                                   : ExactAggregate::Auto;
}

Result<ExactSubspacePlan> exact_plan_for(const Request& request, std::size_t rows,
                                         std::size_t dimension) {
  const Result<ExactAggregate> aggregate = exact_aggregate(request);
  if (!aggregate) {
    return error_of(aggregate);
  }
  const std::size_t constant = is_affine(request) ? 1 : 0;  // one more coordinate and dimension
  return subspace_pair(request).and_then([&](const ApproxDp& pair) {
    return ExactSubspacePlan::make(
        {rows, dimension + constant, static_cast<std::size_t>(request.components) + constant, pair,
         *aggregate, request.options.find<std::int64_t>("exceptions"),
         request.options.value("max_abs", kDefaultLargestNumber), request.published()});
  });
}

class ExactPlan final : public Plan {
 public:
  ExactPlan(bool affine, PublicFacts facts, ExactSubspacePlan made)
      : affine_(affine), facts_(std::move(facts)), schema_(facts_.schema), made_(std::move(made)) {
    if (affine_) {
      schema_.columns.emplace_back("constant");
    }
  }
  const Guarantee& guarantee() const override { return made_.guarantee(); }
  const PublicFacts& facts() const override { return facts_; }
  std::unique_ptr<Run> make_run(RandomStream& stream, int /*threads*/) const override {
    return std::make_unique<ExactRun>(*this, stream);
  }

 private:
  class ExactRun final : public Run {
   public:
    ExactRun(const ExactPlan& plan, RandomStream& stream)
        : plan_(plan),
          stream_(stream),
          points_(plan.schema_.dimension(), plan.made_.request().max_abs) {}
    Result<void> take_rows(RowReader& rows) override {
      return read_exact_rows(rows, BadCell::Refuse, plan_.affine_)
          .and_then([&](const ExactRows& exact) { return take_points(exact); });
    }
    Result<void> take_points(const ExactRows& rows) override {
      for (const std::vector<std::int64_t>& point : rows.points) {
        points_.add(point);
      }
      return {};
    }
    Result<ReleaseDocument> finish() override {
      if (points_.rows() != plan_.made_.request().rows) {
        return bad_request(fmt::format("the table has {} rows, not {} as {{rows}} says",
                                       points_.rows(), plan_.made_.request().rows),
                           "rows");
      }
      return exact_document(plan_.made_, plan_.schema_, plan_.affine_,
                            plan_.made_.run(points_, stream_));
    }

   private:
    const ExactPlan& plan_;
    RandomStream& stream_;
    ExactPoints points_;
  };

  bool affine_;
  PublicFacts facts_;
  Schema schema_;  ///< with the constant of an affine subspace
  ExactSubspacePlan made_;
};

Result<std::unique_ptr<Plan>> ExactSubspaceMethod::plan(const Request& request,
                                                        const PublicFacts& facts) const {
  return exact_plan_for(request, static_cast<std::size_t>(*facts.rows), facts.schema.dimension())
      .map([&](ExactSubspacePlan&& made) -> std::unique_ptr<Plan> {
        return std::make_unique<ExactPlan>(is_affine(request), facts, std::move(made));
      });
}

Result<Guarantee> ExactSubspaceMethod::stated(const Request& request) const {
  return exact_aggregate(request).and_then([&](ExactAggregate aggregate) {
    return subspace_pair(request).map([&](const ApproxDp& pair) {
      return ExactSubspacePlan::stated(pair, aggregate, request.published());
    });
  });
}

Result<PlanFacts> ExactSubspaceMethod::outlook(const Request& request,
                                               const AssumedTable& table) const {
  return exact_plan_for(request, static_cast<std::size_t>(table.rows), table.schema.dimension())
      .map([&](const ExactSubspacePlan& plan) {
        Outlook outlook(request, "exact-" + plan.aggregate_name(), plan.guarantee(), table);
        outlook.json()["noise_bound"] = plan.noise_bound();
        outlook.json()["exceptions"] = plan.exceptions();
        outlook.json()["sufficient_rows"] = plan.sufficient_rows();
        outlook.json()["sufficient_rows_exceptions"] = plan.sufficient_exceptions();
        outlook.json()["lower_bound_rows"] = plan.lower_bound();
        outlook.json()["field_bits"] = plan.field_bits();
        outlook.line("noise", fmt::format("whole numbers from -{0} to {0}", plan.noise_bound()));
        outlook.line("exceptions",
                     fmt::format("{} {} may lie elsewhere and the answer is still certain",
                                 plan.exceptions(), plan.by_votes() ? "groups" : "rows"));
        outlook.line("rows", fmt::format("{} suffice with {} exceptions; no method needs fewer "
                                         "than the order of {:.0f}",
                                         plan.sufficient_rows(), plan.sufficient_exceptions(),
                                         plan.lower_bound()));
        outlook.line("arithmetic",
                     fmt::format("modulo 2^{} - 1, certified for whole numbers up to {}",
                                 plan.field_bits(), plan.request().max_abs));
        return std::move(outlook).finish();
      });
}

}  // namespace

const Method& exact_subspace_method() {
  static const ExactSubspaceMethod method;
  return method;
}

}  // namespace eigenveil
