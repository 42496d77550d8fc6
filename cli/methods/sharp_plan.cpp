#include "cli/methods/sharp_plan.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "mechanism/sharp/adaptive_calibration.hpp"
#include "mechanism/sharp/sharp_privacy.hpp"

namespace eigenveil::cli {
namespace {

constexpr const char* kNeedsSpectrum =
    "plan pca --method sharp needs --data-spectrum FILE: the eigenvalues of the covariance of rows "
    "with squared norm at most p, one per line";

/// Rows of norm R in units where the largest possible is sqrt(p): r = R² / p.
Result<double> norm_share(const PlanRequest& request, double dimension) {
  const double share = request.what.bounds.row_norm ? *request.what.bounds.row_norm *
                                                          *request.what.bounds.row_norm / dimension
                                                    : 1.0;
  if (!(share > 0.0 && share <= 1.0 + 1e-12)) {
    return bad_request("--row-norm beside --data-spectrum must lie between 0 and sqrt(p)");
  }
  return std::min(share, 1.0);
}

struct Level {
  std::optional<double> beta;
  std::optional<double> mu;
  std::optional<double> target;
};

Result<Level> level_of(const PlanRequest& request, const SharpOptions& options,
                       const SharpPrivacy& sharp) {
  const Result<Budget> budget = request.what.budget.budget();
  if (options.beta.has_value() == budget.has_value()) {
    return options.beta ? bad_request("give --beta B or a budget, not both")
                        : bad_request("give --mu M (or another budget), or --beta B");
  }
  if (options.beta) {
    if (!(*options.beta >= 0.0) || !std::isfinite(*options.beta)) {
      return bad_request("--beta must be finite and not negative");
    }
    return Level{options.beta, sharp.mu(*options.beta), std::nullopt};
  }
  return budget_per_row(*budget, request.what.budget.group_size)
      .and_then(gaussian_budget)
      .map([&](GaussianDp target) {
        return Level{sharp.beta(target.mu), target.mu, target.mu};
      });
}

nlohmann::ordered_json or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json facts_of(const PlanRequest& request, const SharpPrivacy& sharp,
                                const Level& level) {
  const bool published = request.what.published;
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
void add_calibration(nlohmann::ordered_json& facts, const PlanRequest& request,
                     const SharpOptions& options, const Vector& eigenvalues, double target) {
  const double nu = target * std::sqrt(options.calibration_share);
  const CalibrationStatistics statistics = calibration_statistics(
      eigenvalues, static_cast<double>(request.rows), request.what.components, nu);
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

void print_plan(const PlanRequest& request, const SharpPrivacy& sharp, const Level& level,
                const nlohmann::ordered_json& facts) {
  fmt::print(
      "Plan for pca by method sharp: {} rows, {} columns, k = {} (for the assumed spectrum)\n",
      request.rows, sharp.dimension(), request.what.components);
  if (!level.beta) {
    fmt::print("  not achievable: mu = {:.4g} lies below the plateau, mu_min = {:.4g}\n",
               *level.target, sharp.mu_min());
    return;
  }
  fmt::print(
      "  noise level beta {:.5g} (component k is captured above {:.4g}; plateau up to {:.4g})\n",
      *level.beta, sharp.threshold(), sharp.plateau_end());
  fmt::print(
      "  privacy     {} asymptotically (mu_min {:.4g}); for every data set epsilon = {:.4g}\n",
      level.mu ? fmt::format("mu = {:.4g}", *level.mu)
               : std::string("no mu is known below the phase transition;"),
      sharp.mu_min(), facts["worst_case_epsilon"].get<double>());
  fmt::print("  error       |UU' - VV'|_op^2 about {:.4g}, |.|_F^2 about {:.4g} (worst {})\n",
             sharp.error_operator2(*level.beta), sharp.error_frobenius2(*level.beta),
             2 * request.what.components);
  if (facts.contains("adaptive_calibration")) {
    const auto& adaptive = facts["adaptive_calibration"];
    fmt::print(
        "  calibration on the data would see the gap {:.3g} with sd {:.3g}, the threshold {:.3g} "
        "with sd {:.3g}{}\n",
        adaptive["scaled_gap"].get<double>(), adaptive["scaled_gap_sd"].get<double>(),
        adaptive["threshold"].get<double>(), adaptive["threshold_sd"].get<double>(),
        adaptive["worth_it"].get<bool>() ? ""
                                         : ": too noisy to be worth it at this size and budget");
  }
}

}  // namespace

Outcome plan_sharp(const PlanRequest& request, const SharpOptions& options) {
  if (options.spectrum_file.empty()) {
    return bad_request(kNeedsSpectrum);
  }
  const Result<Vector> eigenvalues = read_spectrum(options.spectrum_file);
  if (!eigenvalues) {
    return error_of(eigenvalues);
  }
  const auto p = static_cast<double>(eigenvalues->size());
  if (request.dimension != 0 && static_cast<double>(request.dimension) != p) {
    return bad_request("--dimension and the number of eigenvalues in --data-spectrum differ");
  }
  const Result<double> share = norm_share(request, p);
  if (!share) {
    return error_of(share);
  }
  const Result<SharpPrivacy> sharp = SharpPrivacy::make(
      *eigenvalues, static_cast<double>(request.rows), request.what.components, *share);
  if (!sharp) {
    return error_of(sharp);
  }
  const Result<Level> level = level_of(request, options, *sharp);
  if (!level) {
    return error_of(level);
  }
  nlohmann::ordered_json facts = facts_of(request, *sharp, *level);
  if (level->target) {
    add_calibration(facts, request, options, *eigenvalues, *level->target);
  }
  if (request.json) {
    fmt::print("{}\n", facts.dump(2));
  } else {
    print_plan(request, *sharp, *level, facts);
  }
  return {};
}

}  // namespace eigenveil::cli
