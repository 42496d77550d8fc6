#include "mechanism/spiked/spiked.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/atomic_output.hpp"
#include "engine/documents/spectral_document.hpp"
#include "engine/methods/all.hpp"
#include "engine/methods/citations.hpp"
#include "engine/methods/spiked_request.hpp"
#include "engine/outlook.hpp"
#include "engine/parameters.hpp"
#include "mechanism/moment/noise_reach.hpp"
#include "mechanism/moment/symmetric_noise.hpp"
#include "mechanism/spiked/gap_projector.hpp"
#include "mechanism/spiked/noisy_projector.hpp"
#include "mechanism/spiked/spiked_diagnostic.hpp"
#include "statistics/bounded_table.hpp"

namespace eigenveil {
namespace {

/// spiked: Algorithm 1 of Cai, Xia and Zha, private with high probability under its model.
class SpikedMethod final : public Method {
 public:
  const MethodInfo& info() const override;
  std::optional<Result<double>> model_radius(const Request& request, Eigen::Index dimension,
                                             std::optional<std::int64_t> rows) const override {
    return spiked_radius(request, dimension, rows);
  }
  Result<std::unique_ptr<Plan>> plan(const Request& request,
                                     const PublicFacts& facts) const override;
  Result<PlanFacts> outlook(const Request& request, const AssumedTable& table) const override;
  std::optional<PredictedError> predicted_error(const Request& /*request*/,
                                                const AssumedSetting& setting) const override {
    return predicted_spiked_error(setting);
  }
};

const MethodInfo& SpikedMethod::info() const {
  static const MethodInfo info{
      .name = "spiked",
      .sentence =
          "Gaussian noise on the projector at the sensitivity of the spiked model; holds "
          "under that model only",
      .budgets = "(epsilon, delta), rho, mu; under a model, for independent copies",
      .tasks = {Task::Components, Task::Covariance},
      .options = spiked_options(),
      .basis = Basis::ModelProbability,
      .papers = {cited::kSpikedCovariance},
      .plain = "Trusts a model: a few strong directions, even noise around them"};
  return info;
}

std::string shares_in_words(const SpikedPlan& plan) {
  std::vector<std::string> shares;
  for (const SpikedPart& part : plan.parts()) {
    shares.push_back(fmt::format("{} {:.0f}%", part.name, 100.0 * part.share));
  }
  return fmt::format("{} ({})", fmt::join(shares, ", "),
                     plan.request().published ? "of epsilon and delta" : "of mu^2");
}

/// What the noise was scaled to; estimates are released, so they may be shown.
std::string noise_in_words(const SpikedPlan& plan, const SpikedResult& result) {
  const SpikedRequest& request = plan.request();
  const std::string variance =
      request.noise_variance ? fmt::format("{:.4g} (given)", result.noise_variance)
                             : fmt::format("about {:.4g} (estimated, at most {:.4g})",
                                           result.noise_variance, result.noise_variance_upper);
  const bool given = request.spike && result.spike_lower == *request.spike;
  return fmt::format(
      "scaled to rank {} ({}), sigma^2 {}, smallest spike at least {:.4g} ({}), spread at most "
      "{:g} "
      "(assumed)",
      result.frame.cols(), request.max_rank ? "estimated" : "given", variance, result.spike_lower,
      given ? "given" : "estimated", request.spread);
}

void add_model_fields(ReleaseDocument& document, const SpikedPlan& plan,
                      const SpikedResult& result) {
  const SpikedRequest& request = plan.request();
  Fields& fields = document.parameters;
  fields.emplace_back("calibration", std::string(request.published ? "published" : "tight"));
  fields.emplace_back("C1", request.constants.c1);
  fields.emplace_back("C2", request.constants.c2);
  fields.emplace_back("C3", request.constants.c3);
  fields.emplace_back("spread", request.spread);
  fields.emplace_back("failure_probability",
                      std::string("4 n^-99 + e^{-c min(n,p)}, c not given by Cai, Xia and Zha"));
  std::vector<std::string> shares;
  for (const SpikedPart& part : plan.parts()) {
    shares.push_back(fmt::format("{}: {:.4g}", part.name, part.share));
  }
  fields.emplace_back("budget_shares", shares);
  document.result.emplace_back("rows", static_cast<double>(request.rows));
  document.result.emplace_back("rank", std::int64_t{result.frame.cols()});
  document.result.emplace_back(request.noise_variance ? "sigma2" : "noisy_sigma2",
                               result.noise_variance);
  document.result.emplace_back("sigma2_upper", result.noise_variance_upper);
  document.result.emplace_back("lambda_lower", result.spike_lower);
  if (result.noisy_eigenvalues) {
    document.result.emplace_back("noisy_top_eigenvalues", to_list(*result.noisy_eigenvalues));
  }
  document.result.emplace_back("projector_sensitivity", result.projector_sensitivity);
  document.result.emplace_back("projector_noise_sd", result.projector_sd);
  document.result.emplace_back("inside_noise_sd", result.inside_sd);
}

ReleaseDocument document_of(const Request& request, const PublicFacts& facts,
                            const SpikedPlan& plan, const Release<SpikedResult>& release) {
  const SpikedResult& result = release.value();
  ReleaseDocument document =
      spectral_document(request, "spiked", release.guarantee(), facts.bound, facts.schema);
  document.remarks = {{"shares", shares_in_words(plan)},
                      {"noise", noise_in_words(plan, result)},
                      {"model", model_statement(plan.request().constants)}};
  add_model_fields(document, plan, result);
  const EntryNoise inside{
      .scales = Vector::Ones(result.frame.cols()),
      .product = symmetric_noise(result.inside_sd, plan.request().published).off_diagonal};
  const double floor = result.noise_variance_upper + noise_reach(inside, 0.0, 1.0).floor;
  document.result.emplace_back("noise_floor", floor);
  const SpikedComponents components = spiked_components(result);
  const auto others = static_cast<double>(result.frame.rows() - result.frame.cols());
  const double total = components.explained_variance.sum() + others * result.noise_variance;
  const std::vector<std::string>& names = facts.schema.columns;
  if (request.wants_components()) {
    const Vector& variance = components.explained_variance;
    add_variances(document,
                  {variance, Vector::Constant(variance.size(), floor),
                   variance / std::max(total, 1e-300), total},
                  facts.bound, request.units);
    add_loadings(document, facts.schema, components.loadings);
    return document;
  }
  SpikedCovariance covariance = spiked_covariance(result);
  document.tables.push_back({"covariance", "private covariance, positive semidefinite", "column",
                             names, names, std::move(covariance.psd)});
  document.tables.push_back({"covariance_raw",
                             "private covariance as noised: U~ L~ U~' + sigma^2 I, may be "
                             "indefinite",
                             "column", names, names, std::move(covariance.raw)});
  return document;
}

/// The number of rows is public here, but unknown until they are read: a trial plan for a large
/// table finds every refusal that does not depend on it, and the real one is made at the end.
class ModelPlan final : public Plan {
 public:
  ModelPlan(Request request, PublicFacts facts, SpikedPlan trial)
      : request_(std::move(request)), facts_(std::move(facts)), trial_(std::move(trial)) {}
  const Guarantee& guarantee() const override { return trial_.guarantee(); }
  const PublicFacts& facts() const override { return facts_; }
  std::unique_ptr<Run> make_run(RandomStream& stream, int threads) const override {
    return std::make_unique<ModelRun>(*this, stream, threads);
  }

  static Result<SpikedPlan> planned(const Request& request, const RowBound& bound,
                                    Eigen::Index rows) {
    return spiked_request(request, rows, static_cast<Eigen::Index>(bound.dimension()),
                          row_radius(bound, request.units))
        .and_then(&SpikedPlan::make);
  }

 private:
  class ModelRun final : public Run {
   public:
    ModelRun(const ModelPlan& plan, RandomStream& stream, int threads)
        : plan_(plan), stream_(stream), rows_(plan.facts_.schema, plan.facts_.bound, threads) {}
    Result<void> take_rows(RowReader& rows) override {
      if (stored_) {
        return bad_request(kNoMixture);
      }
      from_rows_ = true;
      return rows_.add(rows);
    }
    Result<void> take_totals(const ExactGram& totals) override {
      if (from_rows_) {
        return bad_request(kNoMixture);
      }
      if (!stored_) {
        stored_ = totals;
        return {};
      }
      return stored_->merge(totals);
    }
    Result<ReleaseDocument> finish() override {
      if (stored_) {
        return plan_.draw(TableOrGram(*stored_), stream_);
      }
      return rows_.finish().and_then(
          [&](const TableOrGram& statistic) { return plan_.draw(statistic, stream_); });
    }

   private:
    const ModelPlan& plan_;
    RandomStream& stream_;
    TableOrGramAccumulator rows_;
    bool from_rows_ = false;
    std::optional<ExactGram> stored_;
  };

  Result<ReleaseDocument> draw(const TableOrGram& statistic, RandomStream& stream) const;
  Result<void> diagnose(const SampleCovariance& sample, const SpikedResult& result) const;

  Request request_;
  PublicFacts facts_;
  SpikedPlan trial_;
};

Result<ReleaseDocument> ModelPlan::draw(const TableOrGram& statistic, RandomStream& stream) const {
  const SampleCovariance sample = SampleCovariance::of(statistic, request_.units);
  const auto count = request_.options.find<std::int64_t>("row_count");
  if (count && *count != sample.rows()) {
    return bad_request("the table does not have the number of rows that {row_count} says",
                       "row_count");
  }
  const Result<SpikedPlan> plan = planned(request_, facts_.bound, sample.rows());
  if (!plan) {
    return error_of(plan);
  }
  const Release<SpikedResult> release = plan->run(sample, stream);
  if (const Result<void> written = diagnose(sample, release.value()); !written) {
    return error_of(written);
  }
  return document_of(request_, facts_, *plan, release);
}

/// Exact eigenvalues against the rank, sigma², lambda and spread that the release used: whether the
/// data fit the model. PRIVATE, a file of its own, mode 0600, never part of a release.
Result<void> ModelPlan::diagnose(const SampleCovariance& sample, const SpikedResult& result) const {
  const auto path = request_.options.find<std::string>("diagnostic");
  if (!path) {
    return {};
  }
  const SpikedDiagnostic found =
      diagnose_spiked(sample, {result.frame.cols(), result.noise_variance_upper, result.spike_lower,
                               request_.options.value("spread", 1.0)});
  return write_file_atomically(*path, found.text(), FileAccess::OwnerOnly);
}

Result<std::unique_ptr<Plan>> SpikedMethod::plan(const Request& request,
                                                 const PublicFacts& facts) const {
  const Eigen::Index rows = request.options.value<std::int64_t>("row_count", kUnreadRows);
  return ModelPlan::planned(request, facts.bound, rows)
      .map([&](SpikedPlan&& trial) -> std::unique_ptr<Plan> {
        return std::make_unique<ModelPlan>(request, facts, std::move(trial));
      });
}

/// E |S~ - S|_F^2 that the noise adds, to first order: a projector off by P moves U L U' by at most
/// lambda_1^2 |P|_F^2 (equal for equal spikes), and the r x r noise inside comes on top.
double covariance_noise_error(const SpikedPlan& plan, double projector_error) {
  const SpikedModel model = plan.model();
  const auto r = static_cast<double>(model.rank);
  const double sd = plan.covariance_change() / plan.mu_of("eigenvalues inside the subspace");
  const double entries = plan.request().published ? r * r : 0.5 * r * (r + 1.0);
  return std::pow(model.spread * model.spike, 2.0) * projector_error + entries * sd * sd;
}

/// |S|_F with every spike at lambda_1.
double largest_covariance(const SpikedModel& model) {
  const auto r = static_cast<double>(model.rank);
  const double variance = model.noise_variance;
  return std::sqrt(r * std::pow(model.spread * model.spike + variance, 2.0) +
                   (static_cast<double>(model.dimension) - r) * variance * variance);
}

void add_minimax_rates(Outlook& outlook, const SpikedPlan& plan) {
  const auto* approx = std::get_if<ApproxDp>(&plan.request().budget);
  if (approx == nullptr) {
    return;
  }
  const SpikedModel model = plan.model();
  const MinimaxRates rates = minimax_rates(model, approx->epsilon);
  const auto r = static_cast<double>(model.rank);
  nlohmann::ordered_json& table = outlook.json()["minimax_rates_up_to_a_constant"];
  table = {{"projector_schatten_1", r * rates.projector},
           {"projector_schatten_2", std::sqrt(r) * rates.projector},
           {"projector_schatten_inf", rates.projector},
           {"covariance_schatten_1", r * rates.covariance},
           {"covariance_schatten_2", std::sqrt(r) * rates.covariance},
           {"covariance_schatten_inf", rates.covariance}};
  for (const auto& [name, rate] : table.items()) {
    outlook.line("minimax",
                 fmt::format("{:<24} {:.4g} (up to a constant)", name, rate.get<double>()));
  }
}

/// What is known before the run when the model is.
void add_prediction(Outlook& outlook, const Request& request, const SpikedPlan& plan) {
  const SpikedModel model = plan.model();
  const double radius = std::sqrt(model_radius_squared(model, plan.request().constants));
  const double change = projector_sensitivity(model, plan.request().constants);
  const double sd = change / plan.mu_of("projector");
  const double off = plan.request().published ? sd : sd * std::sqrt(0.5);
  const double error = projector_noise_error(model.dimension, model.rank, off);
  nlohmann::ordered_json& facts = outlook.json();
  facts["model_radius"] = radius;
  facts["projector_sensitivity"] = change;
  facts["projector_noise_sd"] = sd;
  facts["predicted_error_f2"] = error;
  outlook.line("radius", fmt::format("rows of the model stay within {:.4g} (also the {{row_norm}} "
                                     "for method gauss)",
                                     radius));
  outlook.line("projector",
               fmt::format("sensitivity {:.4g}, noise standard deviation {:.4g}", change, sd));
  outlook.line("error", fmt::format("|UU' - VV'|_F^2 from the noise about {:.4g}", error));
  if (!request.wants_components()) {
    const double covariance = covariance_noise_error(plan, error);
    facts["predicted_covariance_error_f2"] = covariance;
    outlook.line("covariance", fmt::format("|S~ - S|_F from the noise about {:.4g}, where |S|_F is "
                                           "at most {:.4g}",
                                           std::sqrt(covariance), largest_covariance(model)));
  }
  add_minimax_rates(outlook, plan);
}

PlanFacts facts_of(const Request& request, const SpikedPlan& plan, const AssumedTable& table) {
  Outlook outlook(request, "spiked", plan.guarantee(), table);
  nlohmann::ordered_json& facts = outlook.json();
  facts["assumptions"] = plan.guarantee().assumptions;
  outlook.line("model", model_statement(plan.request().constants));
  outlook.line("shares", shares_in_words(plan));
  for (const SpikedPart& part : plan.parts()) {
    facts["shares"][part.name] = part.share;
  }
  for (const SpikedCondition& condition : plan.conditions()) {
    facts["preconditions"].push_back({{"text", condition.text},
                                      {"left", condition.left},
                                      {"right", condition.right},
                                      {"checked", condition.known}});
    outlook.line("needs",
                 fmt::format("{}: {}", condition.text,
                             condition.known ? fmt::format("{:.4g} against {:.4g}, met (C1 = {:g})",
                                                           condition.left, condition.right,
                                                           plan.request().constants.c1)
                                             : "not checked, a parameter is estimated"));
  }
  if (plan.request().noise_variance && plan.request().spike) {
    add_prediction(outlook, request, plan);
  } else {
    outlook.line("noise",
                 "not known before the run: it depends on the private estimates; give "
                 "{sigma2} and {lambda} for a prediction");
  }
  return std::move(outlook).finish();
}

Result<PlanFacts> SpikedMethod::outlook(const Request& request, const AssumedTable& table) const {
  if (const Result<void> checked = request.check_components(table.schema.dimension()); !checked) {
    return error_of(checked);
  }
  const Result<double> radius =
      spiked_radius(request, static_cast<Eigen::Index>(table.schema.dimension()), table.rows);
  const std::optional<double> known = radius ? std::optional<double>(*radius) : std::nullopt;
  return table.bound(known)
      .and_then(
          [&](const RowBound& bound) { return ModelPlan::planned(request, bound, table.rows); })
      .map([&](const SpikedPlan& plan) { return facts_of(request, plan, table); });
}

}  // namespace

const Method& spiked_method() {
  static const SpikedMethod method;
  return method;
}

}  // namespace eigenveil
