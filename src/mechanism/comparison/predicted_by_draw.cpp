// Predictions for the methods that draw directions: exponential, sharp, orbit.
#include "core/symmetric_eigen.hpp"
#include "mechanism/comparison/comparison.hpp"
#include "mechanism/moment/covariance.hpp"
#include "mechanism/orbit/orbit_bounds.hpp"
#include "mechanism/orbit/orbit_components.hpp"
#include "mechanism/sharp/sharp.hpp"
#include "mechanism/sharp/sharp_privacy.hpp"
#include "sampling/orbit.hpp"

namespace eigenveil {
namespace {

/// The real subspace of a draw on the orbit of projections, for a made-up moment.
std::optional<Matrix> tried_subspace(const Matrix& moment, Eigen::Index rank, double exponent,
                                     RandomStream& stream) {
  const SymmetricEigen eigen = symmetric_eigen(moment);
  const Result<OrbitSampler> sampler =
      OrbitSampler::make({eigen.values, Vector::Ones(rank), exponent});
  if (!sampler) {
    return std::nullopt;
  }
  const ComplexMatrix frame = eigen.vectors * sampler->draw(stream);
  return real_subspace({frame * frame.adjoint(), Vector::Ones(rank)}, rank);
}

/// As Theorem 1 of Yun and Dudeja has it, at the beta the assumed spectrum allows.
std::optional<double> asymptotic_error(const SharpPlan& plan, const AssumedSetting& setting) {
  const auto p = static_cast<double>(setting.spectrum.size());
  const auto n = static_cast<double>(setting.rows);
  const Vector normalised = setting.spectrum * (p / plan.row_norm2_bound());
  const Result<SharpPrivacy> sharp = SharpPrivacy::make(normalised, n, setting.components);
  const std::optional<double> beta = sharp ? sharp->beta(plan.draw_mu()) : std::nullopt;
  return beta ? std::optional<double>(sharp->error_frobenius2(*beta)) : std::nullopt;
}

}  // namespace

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
                        setting.relation, setting.group_size, kDefaultVarianceShare});
  if (!plan) {
    return PredictedError{0.0, setting.relation, Basis::ProvedRealArithmetic, plan.error().message,
                          false};
  }
  return PredictedError{
      direction_error(*plan, setting.spectrum, static_cast<double>(setting.rows)),
      setting.relation,
      plan->guarantee().basis,
      "the direction is drawn, nothing is added to the products",
      true,
      [exponent = plan->exponent(), blur = plan->blur()](const Matrix& moment,
                                                         RandomStream& stream) {
        return std::optional<Matrix>(draw_component(moment, exponent, blur, stream));
      },
      pure_instead(setting, plan->guarantee())};
}

PredictedError predicted_sharp_error(const AssumedSetting& setting, double calibration_share) {
  PredictedError error{0.0, setting.relation, Basis::Asymptotic,
                       "direction drawn at the level the spectrum allows"};
  const Vector scales = column_scales(setting.bound, Units::Scaled);
  SharpRequest request{setting.bound,      scales,
                       setting.budget,     setting.relation,
                       setting.group_size, setting.components};
  request.variance_share = kDefaultVarianceShare;
  request.calibration_share = calibration_share;
  const Result<SharpPlan> plan = SharpPlan::make(request);
  if (!plan) {
    error.available = false;
    error.note = plan.error().message;
    return error;
  }
  const std::optional<double> asymptotic = asymptotic_error(*plan, setting);
  error.available = asymptotic.has_value();
  error.error_f2 = asymptotic.value_or(0.0);
  if (!asymptotic) {
    error.note = "not achievable: the budget lies below the plateau of the assumed spectrum";
    return error;
  }
  error.trial = [plan = *plan, rows = static_cast<double>(setting.rows)](
                    const Matrix& moment, RandomStream& stream) -> std::optional<Matrix> {
    Matrix frame = trusted::draw_sharp(plan, moment, rows, stream);
    return frame.isZero(0.0) ? std::nullopt : std::optional<Matrix>(std::move(frame));
  };
  return error;
}

PredictedError predicted_orbit_error(const AssumedSetting& setting) {
  const Vector scales = Vector::Ones(static_cast<Eigen::Index>(setting.bound.dimension()));
  const auto plan =
      OrbitComponentsPlan::make({setting.bound, scales, setting.budget, setting.relation,
                                 RowField::Real, OrbitCalibration::Tight, setting.group_size},
                                setting.components, kDefaultVarianceShare);
  if (!plan) {
    return PredictedError{0.0, setting.relation, Basis::ProvedRealArithmetic, plan.error().message,
                          false};
  }
  const double norm2 = scaled_norm2_bound(setting.bound, scales);
  const Vector sums = setting.spectrum * (static_cast<double>(setting.rows) / norm2);
  return PredictedError{predicted_orbit_error(sums, setting.components, plan->exponent()),
                        setting.relation,
                        Basis::ProvedRealArithmetic,
                        "the subspace is drawn, nothing is added to the products",
                        true,
                        [norm2, k = setting.components, exponent = plan->exponent()](
                            const Matrix& moment, RandomStream& stream) {
                          return tried_subspace(moment / norm2, k, exponent, stream);
                        },
                        pure_instead(setting, plan->guarantee())};
}

}  // namespace eigenveil
