#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "eigenveil/engine/gram_plan.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "engine/documents/moment_document.hpp"
#include "engine/documents/pairwise_document.hpp"
#include "engine/methods/all.hpp"
#include "engine/methods/citations.hpp"
#include "engine/methods/matrix_free_plan.hpp"
#include "engine/outlook.hpp"
#include "engine/parameters.hpp"
#include "mechanism/gauss/gauss.hpp"
#include "mechanism/laplace/laplace.hpp"
#include "mechanism/moment/correlation.hpp"
#include "mechanism/moment/counted_moment.hpp"
#include "mechanism/moment/outside_share.hpp"
#include "mechanism/moment/predicted_error.hpp"
#include "mechanism/wishart/wishart.hpp"

namespace eigenveil {
namespace {

/// gauss, wishart and laplace: noise on the exact second moment, then post-processing.
class MomentMethod final : public Method {
 public:
  MomentMethod(MethodInfo info, MomentPlanner planner)
      : info_(std::move(info)), planner_(planner) {}
  const MethodInfo& info() const override { return info_; }
  Result<std::unique_ptr<Plan>> plan(const Request& request,
                                     const PublicFacts& facts) const override;
  Result<PlanFacts> outlook(const Request& request, const AssumedTable& table) const override;
  std::optional<PredictedError> predicted_error(const Request& /*request*/,
                                                const AssumedSetting& setting) const override {
    return predicted_moment_error(planner_, setting);
  }

 private:
  Result<MomentPlan> moment_plan(const Request& request, const RowBound& bound, bool outside) const;
  Result<std::unique_ptr<Plan>> formed_plan(const Request& request, const PublicFacts& facts) const;
  Result<std::unique_ptr<Plan>> counted_plan(const Request& request,
                                             const PublicFacts& facts) const;
  Result<MomentPlan> counted_moment_plan(const Request& request, const PublicFacts& facts) const;

  MethodInfo info_;
  MomentPlanner planner_;
};

/// Where a variance of its own for the trace helps. A replaced row leaves it with less noise and
/// nothing else with more. Otherwise it is given more, so that directions have less: for components
/// of columns in one unit, because there what is added to all variances turns no direction. Whoever
/// names a matrix, formed or free, gets the noise that both can draw.
TraceNoise trace_noise(const Request& request, const RowBound& bound, bool outside) {
  if (outside) {  // its last variance is read off by itself
    return TraceNoise::LikeEntries;
  }
  const Vector scales = column_scales(bound, request.units);
  const bool one_unit = scales.maxCoeff() == scales.minCoeff();
  if (request.options.value("matrix", std::string("auto")) != "auto") {
    return TraceNoise::LikeEntries;
  }
  const bool directions =
      request.task == Task::Components && one_unit && !request.options.flag("correlation");
  return directions || request.relation == Relation::ReplaceOne ? TraceNoise::Apart
                                                                : TraceNoise::LikeEntries;
}

Result<MomentPlan> MomentMethod::moment_plan(const Request& request, const RowBound& bound,
                                             bool outside) const {
  const std::size_t columns = bound.dimension() - (outside ? 1 : 0);
  if (const Result<void> checked = request.check_components(columns); !checked) {
    return error_of(checked);
  }
  return planner_({bound, *request.budget, request.relation,
                   request.private_mean() ? Extension::Full : Extension::Count, request.group_size,
                   trace_noise(request, bound, outside)});
}

ReleaseDocument document_of(const Request& request, const MomentPlan& plan,
                            Release<NoisyMoment> release) {
  return moment_document(plan, settings_of(request), std::move(release), request.task,
                         request.components);
}

/// About any other point columns would be divided by what is no deviation of theirs.
Result<void> check_correlation(const Request& request, bool keeps_columns) {
  if (request.options.flag("correlation") && !keeps_columns) {
    return bad_request(
        "{correlation} divides columns by their variances; leave out {project} and "
        "{normalise_rows}, which put others in their place",
        "correlation");
  }
  if (request.options.flag("correlation") && !request.private_mean()) {
    return bad_request(
        "correlations are about the means of columns: give {center private} with {correlation}, "
        "which is released beside them",
        "correlation");
  }
  return {};
}

Result<std::unique_ptr<Plan>> MomentMethod::plan(const Request& request,
                                                 const PublicFacts& facts) const {
  if (const Result<void> sound = check_correlation(request, facts.keeps_columns); !sound) {
    return error_of(sound);
  }
  const Result<bool> free =
      info_.takes_wide_rows ? without_matrix(request, facts) : Result<bool>(false);
  if (!free) {
    return error_of(free);
  }
  if (!*free && request.options.given("passes")) {
    return bad_request("{passes} limits passes where no matrix is formed: give {matrix free}",
                       "passes");
  }
  if (facts.counted) {
    return counted_plan(request, facts);
  }
  const bool too_wide = facts.bound.dimension() > ExactGram::kLargestDimension;
  if (!*free || !too_wide) {
    Result<std::unique_ptr<Plan>> formed = formed_plan(request, facts);
    return formed && *free ? matrix_free_plan(request, facts, *std::move(formed))
                           : std::move(formed);
  }
  return request.check_components(facts.bound.dimension()).and_then([&] {
    return matrix_free_plan(request, facts, nullptr);
  });
}

/// What rows inside of a basis say, and how much of them there is.
ReleaseDocument outside_document(const Request& request, const OutsideTable& table,
                                 const MomentPlan& plan, const Release<NoisyMoment>& release) {
  ReleaseDocument document = document_of(request, plan, release.map([&](const NoisyMoment& moment) {
    return inside_moment(moment, table.schema, table.bound);
  }));
  const ShareInside inside = share_inside(release.value(), table.constant);
  document.result.emplace_back("noisy_share_inside", inside.share);
  document.result.emplace_back("noisy_share_inside_sd", inside.sd);
  document.remarks.push_back(
      {"inside", std::isnan(inside.share)
                     ? "the noise hides how much of the rows lies inside of the basis"
                     : fmt::format("about {:.3g}% of the squared length of rows about the public "
                                   "centre (noise of standard deviation {:.2g}%)",
                                   100.0 * inside.share, 100.0 * inside.sd)});
  return document;
}

Result<std::unique_ptr<Plan>> MomentMethod::formed_plan(const Request& request,
                                                        const PublicFacts& facts) const {
  if (const Result<void> fits = ExactGram::check_shape(facts.schema, facts.bound); !fits) {
    return error_of(fits);
  }
  return moment_plan(request, facts.bound, facts.outside.has_value()).map([&](MomentPlan&& made) {
    return gram_plan(
        facts, std::move(made),
        [request, outside = facts.outside](const MomentPlan& plan, Release<NoisyMoment> release) {
          return outside ? outside_document(request, *outside, plan, release)
                         : document_of(request, plan, std::move(release));
        });
  });
}

/// What a Gram matrix of counted rows says, in the columns of the table.
ReleaseDocument counted_document(const Request& request, const CountedColumns& columns,
                                 const MomentPlan& plan, const Release<NoisyMoment>& release) {
  if (!columns.indicated.empty()) {
    return pairwise_document(plan, settings_of(request), release, columns, request.task,
                             request.components);
  }
  ReleaseDocument document = document_of(request, plan, release.map([&](const NoisyMoment& moment) {
    return counted_moment(moment, columns);
  }));
  if (columns.square_constant > 0.0) {
    const EffectiveRows kish = effective_rows(release.value(), columns);
    document.result.emplace_back("noisy_effective_rows", kish.rows);
    document.result.emplace_back("noisy_effective_rows_sd", kish.sd);
    document.remarks.push_back(
        {"effective", std::isnan(kish.rows)
                          ? "the noise hides how many rows of equal weight these are worth"
                          : fmt::format("worth about {:.0f} rows of equal weight (Kish; noise of "
                                        "standard deviation {:.2g})",
                                        kish.rows, kish.sd)});
  }
  return document;
}

/// Counts and sums are entries of the Gram matrix, so there is nothing to add to it.
Result<MomentPlan> MomentMethod::counted_moment_plan(const Request& request,
                                                     const PublicFacts& facts) const {
  const CountedTable& table = *facts.counted;
  if (const Result<void> fits = request.check_components(table.bound.dimension()); !fits) {
    return error_of(fits);
  }
  if (!table.indicated.empty() && !request.private_mean()) {
    return bad_request(
        "{missing pairwise} is about the means of the cells that are there: leave out {center}",
        "center");
  }
  const Extension extension = table.indicated.empty() ? Extension::None : Extension::Indicators;
  return planner_({facts.bound, *request.budget, request.relation, extension, request.group_size});
}

Result<std::unique_ptr<Plan>> MomentMethod::counted_plan(const Request& request,
                                                         const PublicFacts& facts) const {
  return counted_moment_plan(request, facts).map([&](MomentPlan&& made) {
    const CountedTable& table = *facts.counted;
    const CountedColumns columns{table.schema,       table.bound,           table.constant,
                                 table.weight_bound, table.square_constant, table.indicated};
    return gram_plan(facts, std::move(made),
                     [request, columns](const MomentPlan& plan, const auto& release) {
                       return counted_document(request, columns, plan, release);
                     });
  });
}

/// What the noise does to the assumed spectrum; nothing where none was given.
void add_predicted_error(nlohmann::ordered_json& facts, const Request& request,
                         const MomentPlan& plan, const AssumedTable& table) {
  if (table.spectrum.size() == 0) {
    return;
  }
  const auto n = static_cast<double>(table.rows);
  const double diagonal = plan.product_sd() / n;
  const double off_diagonal = plan.off_diagonal_sd() / n;
  switch (request.task) {
    case Task::Components:
      facts["predicted_error_f2"] =
          predicted_subspace_error(table.spectrum, request.components, off_diagonal);
      return;
    case Task::LowRank:
      facts["predicted_error_f2"] =
          predicted_truncation_error(table.spectrum, request.components, diagonal, off_diagonal);
      return;
    default: {
      const auto p = static_cast<double>(table.spectrum.size());
      // E |noise|_F^2, beside |Cov|_F^2 = sum of squared eigenvalues.
      facts["predicted_error_f2"] =
          p * diagonal * diagonal + p * (p - 1.0) * off_diagonal * off_diagonal;
      facts["covariance_f2"] = table.spectrum.squaredNorm();
    }
  }
}

/// What a component must exceed beside the directions that are left out, where the columns have one
/// unit: along a direction in several units the noise depends on where it points.
void add_predicted_edge(Outlook& outlook, const Request& request, const AssumedTable& table,
                        const RowBound& bound, const NoiseReach& reach) {
  const Vector scales = column_scales(bound, request.units);
  if (table.spectrum.size() != scales.size() || scales.maxCoeff() != scales.minCoeff() ||
      request.options.flag("correlation")) {
    return;
  }
  const Vector variances = scales[0] * scales[0] * table.spectrum;
  const Eigen::Index most = request.takes_rank() ? Eigen::Index{request.components}
                                                 : std::max<Eigen::Index>(1, variances.size() - 1);
  const ToldDirections told = predicted_directions(variances, most, reach);
  const double edge = request.takes_rank() ? predicted_edge(variances, most, reach) : told.edge;
  outlook.json()["predicted_edge"] = edge;
  outlook.json()["predicted_components"] = told.count;
  outlook.line(
      "edge",
      fmt::format("a direction is told from noise above a variance of about {:.4g} ({} units); {} "
                  "of {} would be (for the assumed spectrum)",
                  edge, request.units == Units::Original ? "original" : "scaled",
                  told.count == 0 ? std::string("none") : fmt::format("{}", told.count), most));
}

std::string error_in_words(const Request& request, const nlohmann::ordered_json& facts) {
  const double error = facts["predicted_error_f2"].get<double>();
  switch (request.task) {
    case Task::LowRank:
      return fmt::format(
          "|M - H|_F^2 about {:.4g} (first order, for the assumed spectrum, scaled units)", error);
    case Task::Covariance:
      return fmt::format("|noise|_F about {:.4g}, {:.3g}% of the assumed covariance's norm",
                         std::sqrt(error),
                         100.0 * std::sqrt(error / facts["covariance_f2"].get<double>()));
    default:
      return fmt::format(
          "|UU' - VV'|_F^2 about {:.4g} (worst {}; first order, for the assumed spectrum)", error,
          2 * request.components);
  }
}

std::string floor_in_words(const Request& request, const nlohmann::ordered_json& facts) {
  const std::string farthest =
      facts.contains("noise_floor_at_most")
          ? fmt::format("; {:.4g} if the mean is as far from the centre as it can be",
                        facts["noise_floor_at_most"].get<double>())
          : "";
  return fmt::format(
      "noise alone passes a variance of {:.4g} in one release of twenty at most ({} "
      "units{})",
      facts["noise_floor"].get<double>(), request.units == Units::Original ? "original" : "scaled",
      farthest);
}

/// Where a direction stands out of the noise, and what dropping negative eigenvalues adds: shares
/// of the spectral norm of the noise (docs/proofs/wishart.md, "What the noise shows"; for
/// independent entries the semicircle's 1/2 and 2 / (3 pi)).
struct SpectralShares {
  double detection;
  double repair;
};

SpectralShares spectral_shares(NoiseLaw law) {
  return law == NoiseLaw::Wishart ? SpectralShares{0.619, 0.171} : SpectralShares{0.5, 0.2122};
}

void add_spectral_lines(Outlook& outlook, const Request& request, const MomentPlan& plan,
                        double norm) {
  nlohmann::ordered_json& facts = outlook.json();
  const SpectralShares shares = spectral_shares(plan.noise().law);
  facts["detectable_eigenvalue"] = shares.detection * norm;
  const char* units = request.units == Units::Original ? "original" : "scaled";
  if (request.task == Task::Covariance) {
    const double added = shares.repair * static_cast<double>(plan.bound().dimension()) * norm;
    facts["trace_added_by_repair"] = added;
    outlook.line(
        "repair",
        fmt::format("where all variance is noise, dropping negative eigenvalues adds about "
                    "{:.4g} to the total variance ({} units); the raw matrix is as it was "
                    "noised, for sums",
                    added, units));
    return;
  }
  outlook.line("detection", fmt::format("a direction begins to show in the noise at a variance of "
                                        "about {:.4g} ({} units); to be told from it takes more",
                                        shares.detection * norm, units));
}

/// Pure epsilon beside an (epsilon, delta) request: often less noise, and another promise.
void add_pure_rival(Outlook& outlook, const Request& request, const MomentPlan& plan, double n) {
  const auto* pair = std::get_if<ApproxDp>(&*request.budget);
  const auto* mu = std::get_if<GaussianDp>(&plan.guarantee().loss);
  if (pair == nullptr || mu == nullptr) {
    return;
  }
  const Result<MomentPlan> pure =
      plan_wishart({plan.bound(), PureDp{pair->epsilon}, request.relation, plan.shape().extension,
                    request.group_size});
  if (!pure) {
    return;
  }
  const double ratio = pure_gdp(pair->epsilon).mu / mu->mu;
  const double power = stated_power(pure->guarantee()).power;
  outlook.json()["wishart"] = {
      {"epsilon", pair->epsilon},
      {"noise_sd_diagonal", pure->product_sd() / n},
      {"noise_sd_off_diagonal", pure->off_diagonal_sd() / n},
      {"noise_floor", planned_reach(*pure, pure->bound(), request.units, n).floor},
      {stated_power(pure->guarantee()).field, power},
      {"charge", ratio * ratio}};
  outlook.line(
      "pure",
      fmt::format("{{method wishart}} at pure epsilon {:.4g} would have standard deviation "
                  "{:.4g} on a variance; {:.1f}% power instead of {:.1f}%, {:.1f} times the "
                  "charge of a Gaussian account",
                  pair->epsilon, pure->product_sd() / n, 100.0 * power,
                  100.0 * stated_power(plan.guarantee()).power, ratio * ratio));
}

/// The noise on a correlation is that on the covariance over both deviations, and a column whose
/// variance is not above its own noise is left out.
void add_correlation_line(Outlook& outlook, const Request& request) {
  if (!request.options.flag("correlation")) {
    return;
  }
  nlohmann::ordered_json& facts = outlook.json();
  const double least = kVarianceDeviations * facts["noise_sd_diagonal"].get<double>();
  const double quarter = facts["noise_sd_off_diagonal"].get<double>() / 0.25;
  facts["correlation_least_variance"] = least;
  facts["correlation_noise_at_variance_quarter"] = quarter;
  outlook.line("correlation",
               fmt::format("columns of variance below {:.3g} are left out; the noise has standard "
                           "deviation {:.3g} on a correlation of columns of variance 0.25, half "
                           "of it at 0.5 (scaled units)",
                           least, quarter));
}

PlanFacts facts_of(const Request& request, const MomentPlan& plan, const AssumedTable& table,
                   const RowBound& bound) {
  const auto n = static_cast<double>(table.rows);
  Outlook outlook(request, plan.method(), plan.guarantee(), table);
  outlook.bound(bound);
  nlohmann::ordered_json& facts = outlook.json();
  facts["noise_sd_diagonal"] = plan.product_sd() / n;
  facts["noise_sd_off_diagonal"] = plan.off_diagonal_sd() / n;
  facts["noise_sd_trace"] = plan.trace_sd() / n;
  facts["noise_sd_rows"] = plan.count_sd();
  const NoiseReach reach = planned_reach(plan, bound, request.units, n);
  facts["noise_floor"] = reach.floor;
  if (plan.sum_sd() > 0.0) {
    facts["noise_floor_at_most"] =
        planned_reach(plan, bound, request.units, n, AssumedMean::AtBound).floor;
  }
  add_predicted_error(facts, request, plan, table);
  outlook.line(
      "noise",
      fmt::format("standard deviation {:.4g} on a variance, {:.4g} on a covariance, {:.4g} "
                  "on the sum of all variances (scaled units)",
                  plan.product_sd() / n, plan.off_diagonal_sd() / n, plan.trace_sd() / n));
  add_correlation_line(outlook, request);
  outlook.line("floor", floor_in_words(request, facts));
  if (plan.count_sd() > 0.0) {
    outlook.line("rows", fmt::format("released with standard deviation {:.3g}", plan.count_sd()));
  }
  add_spectral_lines(outlook, request, plan, reach.norm);
  add_predicted_edge(outlook, request, table, bound, reach);
  add_matrix_lines(outlook, request, plan, table.rows);
  if (facts.contains("predicted_error_f2")) {
    outlook.line("error", error_in_words(request, facts));
  }
  add_pure_rival(outlook, request, plan, n);
  return std::move(outlook).finish();
}

/// Of rows r (c, c m, x): a sum of products carries the weight bound, a sum of a column 1 / c of it
/// and a count 1 / c^2.
PlanFacts counted_facts_of(const Request& request, const MomentPlan& plan,
                           const AssumedTable& table) {
  const CountedTable& counted = *table.prepared->counted;
  const auto n = static_cast<double>(table.rows);
  const double weight = counted.weight_bound;
  const double count_sd = weight * plan.product_sd() / (counted.constant * counted.constant);
  const EntryNoise noise{
      .scales = column_scales(counted.bound, request.units),
      .product = weight * plan.off_diagonal_sd(),
      .sum = request.private_mean() ? weight * plan.off_diagonal_sd() / counted.constant : 0.0,
      .count = count_sd,
      .law = plan.noise().law};
  Outlook outlook(request, plan.method(), plan.guarantee(), table);
  outlook.bound(counted.bound);
  nlohmann::ordered_json& facts = outlook.json();
  facts["noise_sd_diagonal"] = weight * plan.product_sd() / n;
  facts["noise_sd_off_diagonal"] = noise.product / n;
  facts["noise_sd_rows"] = count_sd;
  const NoiseReach reach = noise_reach(noise, 0.0, n);
  facts["noise_floor"] = reach.floor;
  outlook.line("noise", fmt::format("standard deviation {:.4g} on a variance, {:.4g} on a "
                                    "covariance (scaled units), where means lie at the midpoints{}",
                                    weight * plan.product_sd() / n, noise.product / n,
                                    counted.indicated.empty() ? "" : " and no cell is missing"));
  add_correlation_line(outlook, request);
  outlook.line("floor", floor_in_words(request, facts));
  add_predicted_edge(outlook, request, table, counted.bound, reach);
  outlook.line("rows", fmt::format("released with standard deviation {:.3g}", count_sd));
  if (!counted.indicated.empty()) {
    const double ratio = plan.bound().radius() / counted.bound.radius();
    facts["noise_beside_midpoints"] = ratio * ratio;
    outlook.line("cost", fmt::format("at least {:.2g} times the noise of {{missing midpoint}}, "
                                     "which pulls variances where cells are missing; name the "
                                     "columns that have gaps alone, {{missing pairwise}}=COLUMNS, "
                                     "for less",
                                     ratio * ratio));
  }
  return std::move(outlook).finish();
}

Result<PlanFacts> MomentMethod::outlook(const Request& request, const AssumedTable& table) const {
  const bool keeps_columns = !table.prepared || table.prepared->keeps_columns;
  if (const Result<void> sound = check_correlation(request, keeps_columns); !sound) {
    return error_of(sound);
  }
  if (table.prepared && table.prepared->counted) {
    return counted_moment_plan(request, *table.prepared).map([&](const MomentPlan& plan) {
      return counted_facts_of(request, plan, table);
    });
  }
  const OutsideTable* outside =
      table.prepared && table.prepared->outside ? &*table.prepared->outside : nullptr;
  return table.bound({})
      .and_then(
          [&](const RowBound& bound) { return moment_plan(request, bound, outside != nullptr); })
      .map([&](const MomentPlan& plan) {
        return facts_of(request, plan, table, outside != nullptr ? outside->bound : plan.bound());
      });
}

std::vector<OptionSpec> gauss_options() {
  std::vector<OptionSpec> options = matrix_options();
  options.insert(options.begin(), correlation_option());
  return options;
}

// Constant: methods may be asked for before main.
constexpr std::initializer_list<Task> kEveryTask = {Task::Components, Task::Covariance,
                                                    Task::LowRank};

}  // namespace

const Method& gauss_method() {
  static const MomentMethod method(
      {.name = "gauss",
       .sentence = "Gaussian noise on the exact second moment",
       .budgets = "(epsilon, delta), rho, mu",
       .tasks = kEveryTask,
       .options = gauss_options(),
       .subtracts_mean = true,
       .takes_counted_rows = true,
       .takes_wide_rows = true,
       .entry_noise = NoiseOnEntries::Gaussian,
       .is_default_for = DefaultFor::OtherBudgets,
       .papers = {cited::kAnalyzeGauss, cited::kAnalyticGauss, cited::kNoiseNorm},
       .plain = "Noise on the sums, added once"},
      &plan_gauss);
  return method;
}

const Method& wishart_method() {
  static const MomentMethod method(
      {.name = "wishart",
       .sentence = "two-sided Wishart noise on the exact second moment, joint over all entries",
       .budgets = "pure epsilon; others on request",
       .tasks = kEveryTask,
       .options = {correlation_option()},
       .subtracts_mean = true,
       .takes_counted_rows = true,
       .entry_noise = NoiseOnEntries::Wishart,
       .is_default_for = DefaultFor::PureBudgets,
       .plain = "Noise on the sums, added once, with no small print δ"},
      &plan_wishart);
  return method;
}

const Method& laplace_method() {
  static const MomentMethod method(
      {.name = "laplace",
       .sentence = "Laplace noise on the exact second moment",
       .budgets = "pure epsilon; others on request",
       .tasks = kEveryTask,
       .options = {correlation_option()},
       .subtracts_mean = true,
       .takes_counted_rows = true,
       .entry_noise = NoiseOnEntries::Laplace,
       .papers = {cited::kNoiseNorm},
       .plain = "Noise on the sums by an older law, with no small print "
                "δ"},
      &plan_laplace);
  return method;
}

}  // namespace eigenveil
