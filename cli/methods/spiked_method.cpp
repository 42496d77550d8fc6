#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/exact_pass.hpp"
#include "cli/methods/method.hpp"
#include "cli/methods/planned_spectrum.hpp"
#include "cli/methods/spectral_document.hpp"
#include "cli/methods/spiked_diagnostic.hpp"
#include "cli/methods/spiked_options.hpp"
#include "cli/options/checks.hpp"
#include "cli/summary.hpp"
#include "core/symmetric_eigen.hpp"
#include "mechanism/spiked/gap_projector.hpp"
#include "mechanism/spiked/noisy_projector.hpp"

namespace eigenveil::cli {
namespace {

/// spiked: Algorithm 1 of Cai, Xia and Zha, private with high probability under its model.
class SpikedMethod final : public Method {
 public:
  std::string name() const override { return "spiked"; }
  std::string budgets() const override {
    return "(epsilon, delta), rho, mu; under a model, for independent copies";
  }
  bool serves(Task task) const override {
    return task == Task::Components || task == Task::Covariance;
  }
  bool takes_variance_share() const override { return true; }
  bool has_published_calibration() const override { return true; }
  void declare(CLI::App& app) override { options_.declare(app); }
  std::string option_given() const override { return options_.given(); }
  Outcome release(const ReleaseRequest& request) const override;
  Outcome plan(const PlanRequest& request) const override;
  std::optional<PredictedError> predicted_error(const AssumedSetting& setting) const override;

 private:
  Result<ExactPass> open(const ReleaseRequest& request) const;
  Result<RowBound> planned_bound(const PlanRequest& request, const Schema& schema) const;

  SpikedOptions options_;
};

Result<ExactPass> SpikedMethod::open(const ReleaseRequest& request) const {
  if (request.what.bounds.given() || request.input.is_gram()) {
    return ExactPass::open(request.input, request.what.bounds);
  }
  // Said before the file is opened; the width only scales the radius.
  if (const Result<double> radius = options_.model_radius(request.what, 1, options_.row_count);
      !radius) {
    return error_of(radius);
  }
  return ExactPass::open(request.input, request.what.bounds, [&](const Schema& schema) {
    BoundOptions bounds = request.what.bounds;
    bounds.row_norm = *options_.model_radius(
        request.what, static_cast<Eigen::Index>(schema.dimension()), options_.row_count);
    return bounds;
  });
}

std::string shares_line(const SpikedPlan& plan) {
  std::vector<std::string> shares;
  for (const SpikedPart& part : plan.parts()) {
    shares.push_back(fmt::format("{} {:.0f}%", part.name, 100.0 * part.share));
  }
  return fmt::format("  shares      {} ({})", fmt::join(shares, ", "),
                     plan.request().published ? "of epsilon and delta" : "of mu^2");
}

/// What the noise was scaled to; estimates are released, so they may be shown.
std::string used_line(const SpikedPlan& plan, const SpikedResult& result) {
  const SpikedRequest& request = plan.request();
  const std::string variance =
      request.noise_variance ? fmt::format("{:.4g} (given)", result.noise_variance)
                             : fmt::format("about {:.4g} (estimated, at most {:.4g})",
                                           result.noise_variance, result.noise_variance_upper);
  const bool given = request.spike && result.spike_lower == *request.spike;
  return fmt::format(
      "  noise       scaled to rank {} ({}), sigma^2 {}, smallest spike at least {:.4g} ({}), "
      "spread at most {:g} (assumed)",
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

ReleaseDocument document_of(const ReleaseRequest& request, const SpikedPlan& plan,
                            const ExactPass& pass, const Release<SpikedResult>& release) {
  const SpikedResult& result = release.value();
  ReleaseDocument document =
      spectral_document(request.what, "spiked", release.guarantee(), pass.bound(), pass.schema());
  add_model_fields(document, plan, result);
  const SpikedComponents components = spiked_components(result);
  const Eigen::Index p = result.frame.rows();
  const auto others = static_cast<double>(p - result.frame.cols());
  const double total = components.explained_variance.sum() + others * result.noise_variance;
  const std::vector<std::string>& names = pass.schema().columns;
  if (request.what.wants_components()) {
    const Vector& variance = components.explained_variance;
    add_variances(
        document,
        {variance,
         Vector::Constant(variance.size(), result.noise_variance_upper + 4.0 * result.inside_sd),
         variance / std::max(total, 1e-300)},
        pass.bound(), request.what.units());
    add_loadings(document, pass.schema(), components.loadings);
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

Outcome SpikedMethod::release(const ReleaseRequest& request) const {
  Result<ExactPass> pass = open(request);
  if (!pass) {
    return error_of(pass);
  }
  const Units units = request.what.units();
  const auto p = static_cast<Eigen::Index>(pass->bound().dimension());
  const double radius = row_radius(pass->bound(), units);
  // The number of rows is public here, but unknown until they are read: a trial plan for a large
  // table finds every refusal that does not depend on it.
  const auto planned = [&](Eigen::Index rows) {
    return options_.request(request.what, rows, p, radius).and_then(&SpikedPlan::make);
  };
  const Result<SpikedPlan> trial = planned(options_.row_count.value_or(kUnreadRows));
  if (!trial) {
    return error_of(trial);
  }
  if (const Result<void> writable = request.output.check_writable(); !writable) {
    return error_of(writable);
  }
  if (!options_.diagnostic.empty()) {
    if (const Result<void> fresh = check_new_file(options_.diagnostic); !fresh) {
      return error_of(fresh);
    }
  }
  const Result<TableOrGram> statistic = pass->run_table_or_gram(request.output.is_quiet());
  if (!statistic) {
    return error_of(statistic);
  }
  const SampleCovariance sample = SampleCovariance::of(*statistic, units);
  if (options_.row_count && *options_.row_count != sample.rows()) {
    return bad_request("the table does not have the number of rows that --row-count says");
  }
  const Result<SpikedPlan> plan = planned(sample.rows());
  if (!plan) {
    return error_of(plan);
  }
  RandomStream stream = request.output.stream();
  const Release<SpikedResult> release = plan->run(sample, stream);
  if (!options_.diagnostic.empty()) {
    const Outcome written =
        write_spiked_diagnostic(options_.diagnostic, sample, release.value(), options_.spread);
    if (!written) {
      return written;
    }
  }
  return publish(document_of(request, *plan, *pass, release), request.output,
                 {request.input.display_name(),
                  describe_bound(pass->bound()),
                  {shares_line(*plan), used_line(*plan, release.value()),
                   "  model       " + model_statement(plan->request().constants)}});
}

Result<RowBound> SpikedMethod::planned_bound(const PlanRequest& request,
                                             const Schema& schema) const {
  BoundOptions bounds = request.what.bounds;
  if (!bounds.given()) {
    const Result<double> radius = options_.model_radius(
        request.what, static_cast<Eigen::Index>(schema.dimension()), request.rows);
    if (!radius) {
      return error_of(radius);
    }
    bounds.row_norm = *radius;
  }
  return bounds.bound(schema);
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

nlohmann::ordered_json plan_facts(const PlanRequest& request, const SpikedPlan& plan) {
  nlohmann::ordered_json facts = plan_head(request, "spiked", plan.guarantee());
  facts["assumptions"] = plan.guarantee().assumptions;
  for (const SpikedPart& part : plan.parts()) {
    facts["shares"][part.name] = part.share;
  }
  for (const SpikedCondition& condition : plan.conditions()) {
    facts["preconditions"].push_back({{"text", condition.text},
                                      {"left", condition.left},
                                      {"right", condition.right},
                                      {"checked", condition.known}});
  }
  if (plan.request().noise_variance && plan.request().spike) {
    const SpikedModel model = plan.model();
    const double change = projector_sensitivity(model, plan.request().constants);
    const double sd = change / plan.mu_of("projector");
    facts["model_radius"] = std::sqrt(model_radius_squared(model, plan.request().constants));
    facts["projector_sensitivity"] = change;
    facts["projector_noise_sd"] = sd;
    const double off = plan.request().published ? sd : sd * std::sqrt(0.5);
    const double error = projector_noise_error(model.dimension, model.rank, off);
    facts["predicted_error_f2"] = error;
    if (!request.what.wants_components()) {
      facts["predicted_covariance_error_f2"] = covariance_noise_error(plan, error);
    }
    if (const auto* approx = std::get_if<ApproxDp>(&plan.request().budget)) {
      const MinimaxRates rates = minimax_rates(model, approx->epsilon);
      const auto r = static_cast<double>(model.rank);
      facts["minimax_rates_up_to_a_constant"] = {
          {"projector_schatten_1", r * rates.projector},
          {"projector_schatten_2", std::sqrt(r) * rates.projector},
          {"projector_schatten_inf", rates.projector},
          {"covariance_schatten_1", r * rates.covariance},
          {"covariance_schatten_2", std::sqrt(r) * rates.covariance},
          {"covariance_schatten_inf", rates.covariance}};
    }
  }
  return facts;
}

/// |S|_F with every spike at lambda_1.
double largest_covariance(const SpikedModel& model) {
  const auto r = static_cast<double>(model.rank);
  const double variance = model.noise_variance;
  return std::sqrt(r * std::pow(model.spread * model.spike + variance, 2.0) +
                   (static_cast<double>(model.dimension) - r) * variance * variance);
}

void print_plan(const PlanRequest& request, const SpikedPlan& plan,
                const nlohmann::ordered_json& facts) {
  fmt::print("Plan for {} by method spiked: {} rows, {} columns, rank {} (no data was read)\n",
             name_of(request.what.task), request.rows, plan.model().dimension, plan.model().rank);
  fmt::print("  guarantee   {}\n  in words    {}\n  model       {}\n{}\n",
             facts["guarantee"].get<std::string>(), facts["in_words"].get<std::string>(),
             model_statement(plan.request().constants), shares_line(plan));
  for (const SpikedCondition& condition : plan.conditions()) {
    fmt::print("  needs       {}: {}\n", condition.text,
               condition.known
                   ? fmt::format("{:.4g} against {:.4g}, met (C1 = {:g})", condition.left,
                                 condition.right, plan.request().constants.c1)
                   : "not checked, a parameter is estimated");
  }
  if (facts.contains("projector_sensitivity")) {
    fmt::print(
        "  radius      rows of the model stay within {:.4g} (also the --row-norm for method "
        "gauss)\n",
        facts["model_radius"].get<double>());
    fmt::print("  projector   sensitivity {:.4g}, noise standard deviation {:.4g}\n",
               facts["projector_sensitivity"].get<double>(),
               facts["projector_noise_sd"].get<double>());
    fmt::print("  error       |UU' - VV'|_F^2 from the noise about {:.4g}\n",
               facts["predicted_error_f2"].get<double>());
  } else {
    fmt::print(
        "  noise       not known before the run: it depends on the private estimates; give "
        "--sigma2 "
        "and --lambda for a prediction\n");
  }
  if (facts.contains("predicted_covariance_error_f2")) {
    fmt::print(
        "  covariance  |S~ - S|_F from the noise about {:.4g}, where |S|_F is at most {:.4g}\n",
        std::sqrt(facts["predicted_covariance_error_f2"].get<double>()),
        largest_covariance(plan.model()));
  }
  if (facts.contains("minimax_rates_up_to_a_constant")) {
    for (const auto& [name, rate] : facts["minimax_rates_up_to_a_constant"].items()) {
      fmt::print("  minimax     {:<24} {:.4g} (up to a constant)\n", name, rate.get<double>());
    }
  }
}

Outcome SpikedMethod::plan(const PlanRequest& request) const {
  const Result<Schema> schema = request.schema();
  if (!schema) {
    return error_of(schema);
  }
  if (const Result<void> checked = request.what.check_components(schema->dimension()); !checked) {
    return error_of(checked);
  }
  return planned_bound(request, *schema)
      .and_then([&](const RowBound& bound) {
        return options_.request(request.what, request.rows,
                                static_cast<Eigen::Index>(bound.dimension()),
                                row_radius(bound, request.what.units()));
      })
      .and_then(&SpikedPlan::make)
      .map([&](const SpikedPlan& plan) {
        const nlohmann::ordered_json facts = plan_facts(request, plan);
        if (request.json) {
          fmt::print("{}\n", facts.dump(2));
        } else {
          print_plan(request, plan, facts);
        }
      });
}

std::optional<PredictedError> SpikedMethod::predicted_error(const AssumedSetting& setting) const {
  return predicted_spiked_error(setting);
}

}  // namespace

std::unique_ptr<Method> spiked_method() {
  return std::make_unique<SpikedMethod>();
}

}  // namespace eigenveil::cli
