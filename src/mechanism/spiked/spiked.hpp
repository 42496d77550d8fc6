#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eigenveil/privacy/calibration.hpp"
#include "eigenveil/privacy/release.hpp"
#include "mechanism/moment/blurred_draw.hpp"
#include "mechanism/moment/sample_covariance.hpp"
#include "mechanism/spiked/spiked_model.hpp"

namespace eigenveil {

/// Rows of a trial plan, made before a table is read: finds every refusal that does not depend on
/// their number.
inline constexpr Eigen::Index kUnreadRows = Eigen::Index{1} << 40;

/// Everything public that a release under the spiked model depends on.
struct SpikedRequest {
  Eigen::Index rows = 0;
  Eigen::Index dimension = 0;
  Eigen::Index rank = 1;                 ///< ignored when max_rank is given
  std::optional<Eigen::Index> max_rank;  ///< estimate the rank privately, at most this
  std::optional<double> noise_variance;  ///< sigma²; estimated privately when absent
  std::optional<double> spike;           ///< lambda_r; estimated privately when absent
  double spread = 1.0;
  bool gaussian_rows =
      false;  ///< Cai, Xia and Zha's weaker preconditions; else those for sub-Gaussian
  double row_radius = 0.0;  ///< rows are clipped to it, in the units asked for
  Budget budget;
  int group_size = 1;           ///< rows protected together
  double variance_share = 0.2;  ///< of mu², for the r x r matrix inside the subspace
  bool published = false;  ///< Cai, Xia and Zha's noise: every entry alike, classic calibration
  SpikedConstants constants;
};

/// One noisy quantity and what it may spend.
struct SpikedPart {
  std::string name;
  double share = 0.0;  ///< of mu² (tight), of epsilon and delta (published)
  double mu = 0.0;     ///< GDP loss of its Gaussian noise
};

/// A released subspace with the r x r matrix inside it. Safe to publish.
struct SpikedResult {
  Matrix frame;                 ///< U~, p x r, orthonormal
  Matrix inside;                ///< L~ = U~ᵀ (S - sigma² I) U~ + E
  double noise_variance = 0.0;  ///< given, or the noisy estimate
  /// Confidence bounds that the noise was scaled to; the given values when they are public.
  double noise_variance_upper = 0.0;
  double spike_lower = 0.0;
  double spike_upper = 0.0;
  std::optional<Vector> noisy_eigenvalues;  ///< released for rank and lambda when estimated
  double projector_sensitivity = 0.0;
  double projector_sd = 0.0;  ///< on the diagonal
  double inside_sd = 0.0;
};

/// Algorithm 1 of Cai, Xia and Zha with its plan. Guarantee: relation independent-copy, basis
/// model-probability. Proof: docs/proofs/spiked.md.
class SpikedPlan {
 public:
  static Result<SpikedPlan> make(const SpikedRequest& request);
  const SpikedRequest& request() const { return request_; }
  const std::vector<SpikedPart>& parts() const { return parts_; }
  const std::vector<SpikedCondition>& conditions() const { return conditions_; }
  const Guarantee& guarantee() const { return guarantee_; }
  bool estimates() const {
    return !request_.noise_variance || !request_.spike || request_.max_rank;
  }
  /// The model with its public values; only where both are known.
  SpikedModel model() const;
  double mu_of(const std::string& part) const;
  /// How the projector's mu is divided where it is drawn without a p x p matrix.
  DrawBudget wide_draw(Eigen::Index rank) const;
  /// Sensitivity of S in the Frobenius norm: the model's, or what clipping enforces if smaller.
  double covariance_change() const;

  Release<SpikedResult> run(const SampleCovariance& sample, RandomStream& stream) const;

 private:
  SpikedPlan() = default;
  SpikedRequest request_;
  std::vector<SpikedPart> parts_;
  std::vector<SpikedCondition> conditions_;
  Guarantee guarantee_;
};

/// Components and variances: rotates the frame so that the matrix inside is diagonal.
struct SpikedComponents {
  Matrix loadings;            ///< p x r, largest variance first, signs fixed
  Vector explained_variance;  ///< noisy, never negative
};
SpikedComponents spiked_components(const SpikedResult& result);

/// U~ L~ U~ᵀ + sigma² I, raw and with negative eigenvalues set to zero.
struct SpikedCovariance {
  Matrix raw;
  Matrix psd;
};
SpikedCovariance spiked_covariance(const SpikedResult& result);

}  // namespace eigenveil
