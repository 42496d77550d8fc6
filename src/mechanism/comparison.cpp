#include "eigenveil/mechanism/comparison.hpp"

#include <algorithm>
#include <cmath>

#include "eigenveil/mechanism/covariance.hpp"
#include "eigenveil/mechanism/gap_projector.hpp"
#include "eigenveil/mechanism/gauss.hpp"
#include "eigenveil/mechanism/laplace.hpp"
#include "eigenveil/mechanism/noisy_projector.hpp"
#include "eigenveil/mechanism/oja.hpp"
#include "eigenveil/mechanism/orbit_bounds.hpp"
#include "eigenveil/mechanism/orbit_components.hpp"
#include "eigenveil/mechanism/predicted_error.hpp"
#include "eigenveil/mechanism/sharp_privacy.hpp"
#include "eigenveil/mechanism/spiked.hpp"

namespace eigenveil {

PredictedError predicted_moment_error(const std::string& method, const AssumedSetting& setting) {
  const Result<MomentPlan> plan = (method == "laplace" ? plan_laplace : plan_gauss)(
      {setting.bound, setting.budget, setting.relation, Extension::Count, 1});
  if (!plan) {
    return PredictedError{0.0, setting.relation, Basis::Proved, plan.error().message, false};
  }
  const double sd = plan->off_diagonal_sd() / static_cast<double>(setting.rows);
  return PredictedError{predicted_subspace_error(setting.spectrum, setting.components, sd),
                        setting.relation, Basis::Proved, "first order in the noise"};
}

PredictedError predicted_orbit_error(const AssumedSetting& setting) {
  const Vector scales = Vector::Ones(static_cast<Eigen::Index>(setting.bound.dimension()));
  const auto plan =
      OrbitComponentsPlan::make({setting.bound, scales, setting.budget, setting.relation},
                                setting.components, kDefaultVarianceShare);
  if (!plan) {
    return PredictedError{0.0, setting.relation, Basis::ProvedRealArithmetic, plan.error().message,
                          false};
  }
  const Vector sums = setting.spectrum * (static_cast<double>(setting.rows) /
                                          scaled_norm2_bound(setting.bound, scales));
  return PredictedError{predicted_orbit_error(sums, setting.components, plan->exponent()),
                        setting.relation, Basis::ProvedRealArithmetic,
                        "first order; 20% of the budget for the variances"};
}

PredictedError predicted_spiked_error(const AssumedSetting& setting) {
  const Eigen::Index p = setting.spectrum.size();
  const Eigen::Index k = setting.components;
  PredictedError error{0.0, Relation::IndependentCopy, Basis::ModelProbability,
                       "if the assumed spectrum is that of the model, known in public"};
  if (k >= p) {
    error.available = false;
    error.note = "needs fewer components than columns";
    return error;
  }
  SpikedRequest request;
  request.rows = setting.rows;
  request.dimension = p;
  request.rank = k;
  request.noise_variance = setting.spectrum.tail(p - k).mean();
  request.spike = setting.spectrum[k - 1] - *request.noise_variance;
  request.spread =
      *request.spike > 0.0 ? (setting.spectrum[0] - *request.noise_variance) / *request.spike : 1.0;
  request.row_radius = setting.bound.radius();
  request.budget = setting.budget;
  const Result<SpikedPlan> plan = SpikedPlan::make(request);
  if (!plan) {
    error.available = false;
    error.note = plan.error().message;
    return error;
  }
  const double sd = projector_sensitivity(plan->model(), request.constants) /
                    plan->mu_of("projector") * std::sqrt(0.5);
  error.error_f2 = projector_noise_error(p, k, sd);
  return error;
}

PredictedError predicted_robust_error(const AssumedSetting& setting) {
  PredictedError error{0.0, setting.relation, Basis::ProvedRealArithmetic,
                       "noise adapts to the eigengap"};
  const Result<GapPlan> plan =
      GapPlan::make({setting.bound, Units::Scaled, setting.budget, setting.relation,
                     setting.components, kDefaultVarianceShare});
  if (!plan) {
    return PredictedError{0.0, setting.relation, error.basis, plan.error().message, false};
  }
  const Eigen::Index k = setting.components;
  const double gap =
      static_cast<double>(setting.rows) * (setting.spectrum[k - 1] - setting.spectrum[k]);
  const std::optional<double> sd = plan->projector_sd(plan->expected_lower(gap));
  if (!sd) {
    return PredictedError{0.0, setting.relation, error.basis,
                          "NULL is expected: the gap is too small for this budget", false};
  }
  error.error_f2 = projector_noise_error(setting.spectrum.size(), k, *sd * std::sqrt(0.5));
  return error;
}

double direction_error(const ExponentialPlan& plan, const Vector& eigenvalues, double rows) {
  const auto p = static_cast<double>(eigenvalues.size());
  const Result<SharpPrivacy> sharp = SharpPrivacy::make(eigenvalues, rows, 1);
  return sharp ? sharp->error_frobenius2(2.0 * plan.exponent() * rows / p) : 2.0;
}

std::optional<PredictedError> predicted_exponential_error(const AssumedSetting& setting) {
  if (setting.components != 1 || setting.spectrum.size() < 2) {
    return std::nullopt;
  }
  const Result<ExponentialPlan> plan =
      plan_exponential({setting.bound, column_scales(setting.bound, Units::Scaled), setting.budget,
                        setting.relation, 1, kDefaultVarianceShare});
  if (!plan) {
    return PredictedError{0.0, setting.relation, Basis::ProvedRealArithmetic, plan.error().message,
                          false};
  }
  return PredictedError{direction_error(*plan, setting.spectrum, static_cast<double>(setting.rows)),
                        setting.relation, plan->guarantee().basis,
                        "asymptotic error of the drawn direction"};
}

std::optional<PredictedError> predicted_oja_error(const AssumedSetting& setting, std::size_t batch,
                                                  const std::optional<double>& contribution) {
  if (setting.components != 1) {
    return std::nullopt;
  }
  const Relation relation =
      setting.relation == Relation::AddRemove ? Relation::ReplaceOne : setting.relation;
  const Result<OjaPlan> plan = OjaPlan::make({setting.bound.radius(), setting.bound.dimension(),
                                              batch, contribution, setting.budget, relation});
  if (!plan) {
    return PredictedError{0.0, relation, Basis::ProvedRealArithmetic, plan.error().message, false};
  }
  return PredictedError{
      predicted_oja_error(*plan, static_cast<double>(setting.rows), setting.spectrum), relation,
      Basis::ProvedRealArithmetic, "one pass, rank one; first order"};
}

double sampling_error(const Vector& spectrum, Eigen::Index components, double rows) {
  double sum = 0.0;
  for (Eigen::Index i = 0; i < components; ++i) {
    for (Eigen::Index j = components; j < spectrum.size(); ++j) {
      const double gap = spectrum[i] - spectrum[j];
      sum += spectrum[i] * spectrum[j] / std::max(gap * gap, 1e-300);
    }
  }
  return 2.0 * std::min(sum / rows, static_cast<double>(components));
}

bool holds_under_a_model_only(const PredictedError& predicted) {
  return predicted.basis == Basis::ModelProbability || predicted.basis == Basis::Asymptotic;
}

std::vector<ComparedMethod> ranked(std::vector<ComparedMethod> methods,
                                   const AssumedSetting& setting) {
  const double sampling =
      sampling_error(setting.spectrum, setting.components, static_cast<double>(setting.rows));
  const double worst = 2.0 * static_cast<double>(std::min(
                                 setting.components, setting.spectrum.size() - setting.components));
  for (ComparedMethod& method : methods) {
    method.total_f2 = std::min(worst, method.predicted.error_f2 + sampling);
  }
  std::stable_sort(methods.begin(), methods.end(), [](const auto& a, const auto& b) {
    return a.predicted.available != b.predicted.available ? a.predicted.available
                                                          : a.total_f2 < b.total_f2;
  });
  return methods;
}

std::vector<ComparedMethod> compared_methods(const AssumedSetting& setting) {
  std::vector<ComparedMethod> methods = {{"gauss", predicted_moment_error("gauss", setting)},
                                         {"laplace", predicted_moment_error("laplace", setting)}};
  if (std::optional<PredictedError> predicted = predicted_exponential_error(setting)) {
    methods.push_back({"exponential", *std::move(predicted)});
  }
  methods.push_back({"orbit", predicted_orbit_error(setting)});
  methods.push_back({"spiked", predicted_spiked_error(setting)});
  methods.push_back({"spiked-robust", predicted_robust_error(setting)});
  if (std::optional<PredictedError> predicted = predicted_oja_error(setting)) {
    methods.push_back({"oja", *std::move(predicted)});
  }
  return ranked(std::move(methods), setting);
}

const ComparedMethod* recommended(const std::vector<ComparedMethod>& methods, bool accept_model) {
  for (const ComparedMethod& method : methods) {
    if (method.predicted.available &&
        (accept_model || !holds_under_a_model_only(method.predicted))) {
      return &method;
    }
  }
  return nullptr;
}

}  // namespace eigenveil
