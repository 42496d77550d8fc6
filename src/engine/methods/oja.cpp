#include "mechanism/oja/oja.hpp"

#include <fmt/format.h>

#include "engine/documents/spectral_document.hpp"
#include "engine/methods/all.hpp"
#include "engine/methods/citations.hpp"
#include "engine/outlook.hpp"
#include "mechanism/spiked/gap_projector.hpp"

namespace eigenveil {
namespace {

constexpr std::size_t kDefaultBatch = 1000;

std::size_t batch_of(const Request& request) {
  return static_cast<std::size_t>(
      request.options.value("batch", static_cast<std::int64_t>(kDefaultBatch)));
}

/// oja: one component, one pass over a stream.
class OjaMethod final : public Method {
 public:
  const MethodInfo& info() const override;
  Result<std::unique_ptr<Plan>> plan(const Request& request,
                                     const PublicFacts& facts) const override;
  Result<PlanFacts> outlook(const Request& request, const AssumedTable& table) const override;
  std::optional<PredictedError> predicted_error(const Request& request,
                                                const AssumedSetting& setting) const override {
    return predicted_oja_error(setting, batch_of(request),
                               request.options.find<double>("contribution"));
  }
};

const MethodInfo& OjaMethod::info() const {
  static const MethodInfo info{
      .name = "oja",
      .sentence = "Gaussian noise on batches of a stream, one component in one pass",
      .budgets = "(epsilon, delta), rho, mu; one component, replace-one or zero-row",
      .tasks = {Task::Components},
      .options = {{.name = "batch",
                   .kind = OptionKind::WholeNumber,
                   .sentence = "rows per step",
                   .otherwise = static_cast<std::int64_t>(kDefaultBatch)},
                  {.name = "contribution",
                   .kind = OptionKind::Number,
                   .sentence = "shorten a row's contribution x (x . w) to this norm",
                   .range = kPositive,
                   .otherwise_in_words = "the squared row norm"}},
      .reads_rows = true,
      .shows_variances = false,
      .papers = {cited::kSpikedCovariance,
                 "X. Liu, W. Kong, P. Jain, S. Oh. DP-PCA: Statistically Optimal and "
                 "Differentially Private PCA. NeurIPS 2022."},
      .plain = "One direction, from one pass over the rows"};
  return info;
}

Result<OjaPlan> make_oja_plan(const Request& request, const RowBound& bound) {
  if (const Result<void> checked = check_public_center(request, "oja"); !checked) {
    return error_of(checked);
  }
  if (request.components != 1) {
    return bad_request("method oja finds one component; give {components} 1", "components");
  }
  return OjaPlan::make({row_radius(bound, request.units), bound.dimension(), batch_of(request),
                        request.options.find<double>("contribution"), *request.budget,
                        request.relation, request.group_size});
}

/// Rows are used up as they come: the noise of a batch is drawn when it is full.
class StreamPlan final : public Plan {
 public:
  StreamPlan(Request request, PublicFacts facts, OjaPlan made)
      : request_(std::move(request)), facts_(std::move(facts)), made_(std::move(made)) {}
  const Guarantee& guarantee() const override { return made_.guarantee(); }
  const PublicFacts& facts() const override { return facts_; }
  std::unique_ptr<Run> make_run(RandomStream& stream, int /*threads*/) const override {
    return std::make_unique<StreamRun>(*this, stream);
  }

 private:
  class StreamRun final : public Run {
   public:
    StreamRun(const StreamPlan& plan, RandomStream& stream)
        : plan_(plan), pass_(plan.made_, stream) {}
    Result<void> take_rows(RowReader& rows) override {
      return add_rows(pass_, rows, plan_.facts_.bound, plan_.request_.units)
          .map([&](std::size_t count) { count_ += count; });
    }
    Result<ReleaseDocument> finish() override { return plan_.document(pass_.finish(), count_); }

   private:
    const StreamPlan& plan_;
    OjaPass pass_;
    std::size_t count_ = 0;
  };

  ReleaseDocument document(const Release<Vector>& release, std::size_t count) const {
    const std::size_t batch = batch_of(request_);
    const OjaPlan used = made_.for_rows(count);
    ReleaseDocument document =
        spectral_document(request_, "oja", release.guarantee(), facts_.bound, facts_.schema);
    document.parameters.emplace_back("batch", static_cast<std::int64_t>(batch));
    document.parameters.emplace_back("sensitivity_of_a_batch", used.sensitivity());
    document.result.emplace_back("rows", static_cast<double>(count));
    document.result.emplace_back("batch_noise_sd", used.noise_sd());
    document.remarks = {{"noise", fmt::format("standard deviation {:.4g} on every entry of a "
                                              "batch's sum, batches of {} rows",
                                              used.noise_sd(), batch)}};
    add_loadings(document, facts_.schema, release.value());
    return document;
  }

  Request request_;
  PublicFacts facts_;
  OjaPlan made_;
};

Result<std::unique_ptr<Plan>> OjaMethod::plan(const Request& request,
                                              const PublicFacts& facts) const {
  return make_oja_plan(request, facts.bound).map([&](OjaPlan&& made) -> std::unique_ptr<Plan> {
    return std::make_unique<StreamPlan>(request, facts, std::move(made));
  });
}

Result<PlanFacts> OjaMethod::outlook(const Request& request, const AssumedTable& table) const {
  return table.bound({})
      .and_then([&](const RowBound& bound) { return make_oja_plan(request, bound); })
      .map([&](const OjaPlan& asked) {
        const OjaPlan plan = asked.for_rows(static_cast<std::size_t>(table.rows));
        Outlook outlook(request, "oja", plan.guarantee(), table);
        outlook.json()["sensitivity_of_a_batch"] = plan.sensitivity();
        outlook.json()["batch_noise_sd"] = plan.noise_sd();
        outlook.line("noise", fmt::format("standard deviation {:.4g} on every entry of a batch's "
                                          "sum",
                                          plan.noise_sd()));
        if (table.spectrum.size() > 0) {
          const double error =
              predicted_oja_error(plan, static_cast<double>(table.rows), table.spectrum);
          outlook.json()["predicted_error_f2"] = error;
          outlook.line("error", fmt::format("|UU' - VV'|_F^2 from the noise about {:.4g}", error));
        }
        return std::move(outlook).finish();
      });
}

}  // namespace

const Method& oja_method() {
  static const OjaMethod method;
  return method;
}

}  // namespace eigenveil
