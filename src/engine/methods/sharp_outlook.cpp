#include "engine/methods/sharp_outlook.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "eigenveil/privacy/conversion.hpp"
#include "engine/outlook.hpp"
#include "mechanism/sharp/adaptive_calibration.hpp"
#include "mechanism/sharp/sharp.hpp"
#include "mechanism/sharp/sharp_privacy.hpp"
#include "sampling/bingham.hpp"

namespace eigenveil {
namespace {

constexpr const char* kNeedsSpectrum =
    "a plan of method sharp needs {data_spectrum}: the eigenvalues of the covariance of rows with "
    "squared norm at most p";

/// Rows of norm R in units where the largest possible is sqrt(p): r = R² / p.
Result<double> norm_share(const AssumedTable& table, double dimension) {
  const double share = table.row_norm ? *table.row_norm * *table.row_norm / dimension : 1.0;
  if (!(share > 0.0 && share <= 1.0 + 1e-12)) {
    return bad_request("{row_norm} beside {data_spectrum} must lie between 0 and sqrt(p)",
                       "row_norm");
  }
  return std::min(share, 1.0);
}

struct Level {
  std::optional<double> beta;
  std::optional<double> mu;
  std::optional<double> target;
};

Result<Level> level_of(const Request& request, const SharpPrivacy& sharp) {
  const std::optional<double> beta = request.options.find<double>("beta");
  if (beta.has_value() == request.budget.has_value()) {
    return beta ? bad_request("give {beta} or a budget, not both", "beta")
                : bad_request("give {mu} (or another budget), or {beta}", "mu");
  }
  if (beta) {
    if (!(*beta >= 0.0) || !std::isfinite(*beta)) {
      return bad_request("{beta} must be finite and not negative", "beta");
    }
    return Level{beta, sharp.mu(*beta), std::nullopt};
  }
  return budget_per_row(*request.budget, request.group_size)
      .and_then(gaussian_budget)
      .map([&](GaussianDp target) {
        return Level{sharp.beta(target.mu), target.mu, target.mu};
      });
}

nlohmann::ordered_json or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json facts_of(const Request& request, const SharpPrivacy& sharp,
                                const Level& level) {
  const bool published = request.published();
  nlohmann::ordered_json facts = {{"task", "pca"},
                                  {"method", "sharp"},
                                  {"basis", "asymptotic"},
                                  {"beta", or_null(level.beta)},
                                  {"mu", or_null(level.mu)},
                                  {"mu_min", sharp.mu_min()},
                                  {"achievable", level.beta && level.mu}};
  const auto at_beta = [&](double (SharpPrivacy::*quantity)(double) const) {
    return level.beta ? nlohmann::ordered_json((sharp.*quantity)(*level.beta))
                      : nlohmann::ordered_json(nullptr);
  };
  facts["worst_case_epsilon"] =
      at_beta(published ? &SharpPrivacy::published_epsilon : &SharpPrivacy::worst_case_epsilon);
  facts["worst_case_epsilon_published"] = at_beta(&SharpPrivacy::published_epsilon);
  facts["predicted_error_op2"] = at_beta(&SharpPrivacy::error_operator2);
  facts["predicted_error_f2"] = at_beta(&SharpPrivacy::error_frobenius2);
  facts["theta"] = sharp.theta();
  facts["gap"] = sharp.gap();
  facts["plateau_end"] = sharp.plateau_end();
  facts["phase_transitions"] =
      std::vector<double>(sharp.phase_transitions().begin(), sharp.phase_transitions().end());
  if (level.mu && level.beta) {
    facts["renyi_divergence_per_order"] = *level.mu * *level.mu / 2.0;
  }
  return facts;
}

/// How large the calibration noise would be beside what it hides.
void add_calibration(nlohmann::ordered_json& facts, const Request& request, double rows,
                     const Vector& eigenvalues, double target) {
  const double nu = target * std::sqrt(calibration_share(request));
  const CalibrationStatistics statistics =
      calibration_statistics(eigenvalues, rows, request.components, nu);
  const double worst = std::max(statistics.scaled_gap_sd / statistics.scaled_gap,
                                statistics.threshold_sd / statistics.threshold);
  facts["adaptive_calibration"] = {{"mu_calibration", nu},
                                   {"scaled_gap", statistics.scaled_gap},
                                   {"scaled_gap_sd", statistics.scaled_gap_sd},
                                   {"threshold", statistics.threshold},
                                   {"threshold_sd", statistics.threshold_sd},
                                   {"plateau_mu2", statistics.plateau_mu2},
                                   {"plateau_mu2_sd", statistics.plateau_mu2_sd},
                                   {"worth_it", worst < 0.2}};
}

/// What draws the frame of several components: a law within a known distance of the exact one, or
/// a chain (docs/proofs/sharp.md, "The sampler must not show").
void add_sampler(nlohmann::ordered_json& facts, const Vector& eigenvalues, double beta,
                 Eigen::Index components) {
  const double exponent = 0.5 * static_cast<double>(eigenvalues.size()) * beta;
  const Result<BinghamSampler> exact = BinghamSampler::make(eigenvalues, exponent, components);
  facts["sampler"] = {{"expected_proposals",
                       exact ? nlohmann::ordered_json(exact->outlook().expected_tries) : nullptr},
                      {"most_proposals", kSharpTries},
                      {"sweeps", kSubstituteSweeps}};
}

std::string sampler_in_words(const nlohmann::ordered_json& sampler) {
  const std::string chain = fmt::format("a Gibbs chain of {} sweeps", sampler["sweeps"].get<int>());
  const char* distance = "how far its law is from the exact one is not proved";
  const nlohmann::ordered_json& expected = sampler["expected_proposals"];
  if (expected.is_null()) {
    return fmt::format(
        "{} stands in for the exact sampler, which is not efficient for this spectrum; {}", chain,
        distance);
  }
  return fmt::format(
      "exact, with some {:.2g} proposals for this spectrum; where the first {} are all refused, {} "
      "stands in; {}",
      expected.get<double>(), sampler["most_proposals"].get<std::uint64_t>(), chain, distance);
}

std::vector<FactLine> lines_of(const Request& request, const SharpPrivacy& sharp,
                               const Level& level, const nlohmann::ordered_json& facts) {
  if (!level.beta) {
    return {{"outcome", fmt::format("not achievable: mu = {:.4g} lies below the plateau, mu_min = "
                                    "{:.4g}",
                                    *level.target, sharp.mu_min())}};
  }
  std::vector<FactLine> lines = {
      {"noise level", fmt::format("beta {:.5g} (component k is captured above {:.4g}; plateau up "
                                  "to {:.4g})",
                                  *level.beta, sharp.threshold(), sharp.plateau_end())},
      {"privacy", fmt::format("{} asymptotically (mu_min {:.4g}); for every data set epsilon = "
                              "{:.4g}",
                              level.mu ? fmt::format("mu = {:.4g}", *level.mu)
                                       : "no mu is known below the phase transition;",
                              sharp.mu_min(), facts["worst_case_epsilon"].get<double>())},
      {"error", fmt::format("|UU' - VV'|_op^2 about {:.4g}, |.|_F^2 about {:.4g} (worst {})",
                            sharp.error_operator2(*level.beta), sharp.error_frobenius2(*level.beta),
                            2 * request.components)}};
  if (facts.contains("sampler")) {
    lines.push_back({"sampler", sampler_in_words(facts["sampler"])});
  }
  if (facts.contains("adaptive_calibration")) {
    const auto& adaptive = facts["adaptive_calibration"];
    lines.push_back(
        {"calibration",
         fmt::format("on the data would see the gap {:.3g} with sd {:.3g}, the threshold {:.3g} "
                     "with sd {:.3g}{}",
                     adaptive["scaled_gap"].get<double>(), adaptive["scaled_gap_sd"].get<double>(),
                     adaptive["threshold"].get<double>(), adaptive["threshold_sd"].get<double>(),
                     adaptive["worth_it"].get<bool>()
                         ? ""
                         : ": too noisy to be worth it at this size and budget")});
  }
  return lines;
}

/// What the level promises in the limit; nothing where theory knows no mu for it.
std::optional<Guarantee> promise_of(const Request& request, const Level& level) {
  if (!level.beta || !level.mu) {
    return std::nullopt;
  }
  const Result<Loss> loss = group_loss(GaussianDp{*level.mu}, request.group_size);
  return loss ? std::optional<Guarantee>(
                    {request.relation, *loss, Basis::Asymptotic, {}, true, request.group_size})
              : std::nullopt;
}

/// Without eigenvalues: how the budget is split, which is all that is known.
Result<PlanFacts> split_of(const Request& request, const AssumedTable& table) {
  if (!request.budget || table.schema.dimension() == 0) {
    return bad_request(kNeedsSpectrum, "data_spectrum");
  }
  const Result<RowBound> bound = table.bound({});
  return bound.and_then([&](const RowBound& known) { return make_sharp_plan(request, known); })
      .map([&](const SharpPlan& plan) {
        Outlook outlook(request, "sharp", plan.guarantee(), table);
        outlook.bound(*bound);
        outlook.json()["mu_row_count"] = plan.row_count_mu();
        outlook.json()["mu_calibration"] = plan.calibration_mu();
        outlook.json()["mu_draw"] = plan.draw_mu();
        outlook.line("budget",
                     fmt::format("mu {:.4g} for the number of rows, {:.4g} for the "
                                 "calibration, {:.4g} for the draw",
                                 plan.row_count_mu(), plan.calibration_mu(), plan.draw_mu()));
        if (request.components > 1) {
          outlook.json()["sampler"] = {{"most_proposals", kSharpTries},
                                       {"sweeps", kSubstituteSweeps}};
          outlook.line("sampler",
                       fmt::format("exact where one of {} proposals is accepted, which depends on "
                                   "the spectrum; otherwise a Gibbs chain of {} sweeps stands in, "
                                   "and how far its law is from the exact one is not proved",
                                   kSharpTries, kSubstituteSweeps));
        }
        outlook.line("error", "not predicted: it depends on the spectrum; give {data_spectrum}");
        return std::move(outlook).finish();
      });
}

}  // namespace

Result<PlanFacts> sharp_outlook(const Request& request, const AssumedTable& table) {
  const auto given = request.options.find<std::vector<double>>("data_spectrum");
  if (!given) {
    return split_of(request, table);
  }
  const Vector eigenvalues =
      Eigen::Map<const Vector>(given->data(), static_cast<Eigen::Index>(given->size()));
  const auto p = static_cast<double>(eigenvalues.size());
  const auto rows = static_cast<double>(table.rows);
  if (table.schema.dimension() != 0 && static_cast<double>(table.schema.dimension()) != p) {
    return bad_request("{dimension} and the number of eigenvalues in {data_spectrum} differ",
                       "dimension");
  }
  const Result<double> share = norm_share(table, p);
  if (!share) {
    return error_of(share);
  }
  const Result<SharpPrivacy> sharp =
      SharpPrivacy::make(eigenvalues, rows, request.components, *share);
  if (!sharp) {
    return error_of(sharp);
  }
  const Result<Level> level = level_of(request, *sharp);
  if (!level) {
    return error_of(level);
  }
  nlohmann::ordered_json facts = facts_of(request, *sharp, *level);
  if (request.components > 1 && level->beta) {
    add_sampler(facts, eigenvalues, *level->beta, request.components);
  }
  if (level->target) {
    add_calibration(facts, request, rows, eigenvalues, *level->target);
  }
  PlanFacts said{facts.dump(2),
                 fmt::format("Plan for pca by method sharp: {} rows, {} columns, k = {} (for the "
                             "assumed spectrum)",
                             table.rows, sharp->dimension(), request.components),
                 lines_of(request, *sharp, *level, facts)};
  said.guarantee = promise_of(request, *level);
  if (said.guarantee) {
    said.lines.insert(said.lines.begin(), {{"guarantee", in_words(*said.guarantee)},
                                           {"in words", detection_in_words(*said.guarantee)}});
  }
  return said;
}

}  // namespace eigenveil
