#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/privacy/guarantee.hpp"

namespace eigenveil {

/// Constants of Cai, Xia and Zha. They give no values but C2 = 4 in their experiments: they are
/// the user's to set, and every release prints them.
struct SpikedConstants {
  double c1 = 1.0;  ///< in the preconditions: they are necessary conditions up to this factor
  double c2 = 4.0;  ///< in the sensitivity of the projector
  double c3 = 4.0;  ///< in the sensitivity of eigenvalues and covariance
  double c5 = 4.0;  ///< in the radius within which rows stay under the model
};

/// Public sizes and, where known, parameters of the model: rows i.i.d. sub-Gaussian with covariance
/// U Lambda Uᵀ + sigma² I_p, r spikes between `spike` and `spread` * `spike`.
struct SpikedModel {
  Eigen::Index rows = 0;
  Eigen::Index dimension = 0;
  Eigen::Index rank = 1;
  double noise_variance = 0.0;  ///< sigma²
  double spike = 0.0;           ///< lambda_r, the smallest
  double spread = 1.0;          ///< kappa = lambda_1 / lambda_r
};

/// D1 = C2 (s/l + sqrt(kappa s/l)) sqrt(p (r + ln n)) / n: Frobenius sensitivity of the projector
/// under the model; never above sqrt(2 min(r, p - r)), the diameter of the projectors.
double projector_sensitivity(const SpikedModel& model, const SpikedConstants& constants);

/// D2 = C3 (lambda_1 (r + ln n) + sigma² (p + ln n)) / n: of eigenvalues and covariance.
double covariance_sensitivity(const SpikedModel& model, const SpikedConstants& constants);

/// (r + C5 ln n) lambda_1 + p sigma²: the squared radius rows stay within, with high probability.
double model_radius_squared(const SpikedModel& model, const SpikedConstants& constants);

/// One precondition with both of its sides.
struct SpikedCondition {
  std::string text;
  double left = 0.0;
  double right = 0.0;
  bool known = true;  ///< false: a side depends on a parameter that is estimated
  bool met() const { return !known || left >= right; }
};
/// What of the model is public, and what rows it speaks of.
struct SpikedKnowledge {
  bool parameters = true;      ///< sigma² and lambda
  bool noise_variance = true;  ///< sigma²
  bool gaussian_rows = false;  ///< Lemma 2 and Corollary 1; else Corollary 2, for sub-Gaussian rows
};
/// Gaussian: n >= C1 (kappa² r ln n + ln² n), p >= 2r, lambda/sigma² >= C1 (kappa p/n + sqrt(p/n)).
/// Sub-Gaussian: ln n becomes ln(p + n) max(1, ln² r) in the first, and the last is multiplied by
/// ln(p + n). With sigma² estimated also both halves of Cai, Xia and Zha's condition (12).
std::vector<SpikedCondition> spiked_conditions(const SpikedModel& model,
                                               const SpikedConstants& constants,
                                               const SpikedKnowledge& knowledge,
                                               const std::optional<ApproxDp>& budget);

/// The minimax rates of Cai, Xia and Zha, per r^(1/q), q the Schatten exponent: up to a constant.
struct MinimaxRates {
  double projector = 0.0;
  double covariance = 0.0;
};
MinimaxRates minimax_rates(const SpikedModel& model, double epsilon);

/// The words every release carries.
std::string model_statement(const SpikedConstants& constants);

}  // namespace eigenveil
