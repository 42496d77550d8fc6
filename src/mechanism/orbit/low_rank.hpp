#pragma once

#include <optional>

#include "mechanism/orbit/eigenvalue_noise.hpp"
#include "mechanism/orbit/orbit.hpp"

namespace eigenveil {

/// A private rank-k approximation of M = Σ x xᴴ / R².
struct LowRankDraw {
  OrbitDraw orbit;               ///< spectrum: the noisy eigenvalues
  NoisyEigenvalues eigenvalues;  ///< with the row count
};

/// The share of the budget for eigenvalues that minimises the utility bound
/// (expected_low_rank_error) at l_1 = d / epsilon, the smallest leading eigenvalue whose direction
/// a draw could show. From public sizes only; in steps of 1/1000.
double default_eigenvalue_share(Eigen::Index dimension, Eigen::Index rank);

/// Algorithm 2: noisy eigenvalues from one share of the budget, directions by a draw on their orbit
/// from the rest. Basis proved in real arithmetic. With k = d a covariance.
/// Proofs: docs/proofs/eigenvalue_noise.md, docs/proofs/orbit.md.
class LowRankPlan {
 public:
  /// `eigenvalue_share`: the default above, or 1/2 with the published calibration.
  static Result<LowRankPlan> make(const OrbitRequest& request, Eigen::Index rank,
                                  std::optional<double> eigenvalue_share);

  const RowBound& bound() const { return request_.bound; }
  const OrbitRequest& request() const { return request_; }
  Eigen::Index rank() const { return shape_.rank; }
  const EigenvalueShape& shape() const { return shape_; }
  double eigenvalue_share() const { return eigenvalue_share_; }
  const PerRowLoss& eigenvalue_budget() const { return divided_.beside; }  ///< for one row
  PureDp direction_budget() const { return divided_.directions; }
  GaussianDp gaussian() const { return divided_.mu; }  ///< the whole, for the group
  double draw_error() const { return draw_budget_.blur.failure; }
  std::vector<Loss> further_losses() const { return divided_.further_losses(); }
  const DrawBudget& draw_budget() const { return draw_budget_; }  ///< its division
  const NoiseScale& noise_scale() const { return noise_scale_; }  ///< in steps of R² 2^-36
  /// Standard deviations of the noise: on an eigenvalue in units of R², on the count (0: public).
  double eigenvalue_sd() const;
  double count_sd() const;
  const Guarantee& guarantee() const { return guarantee_; }
  double draw_seconds() const { return orbit_draw_seconds(request_, rank(), 1.0); }

  Result<Release<LowRankDraw>> run(const ExactGram& gram, RandomStream& stream) const;

 private:
  explicit LowRankPlan(const OrbitRequest& request) : request_(request) {}
  OrbitRequest request_;
  EigenvalueShape shape_;
  double eigenvalue_share_ = 0.5;
  DrawnBudget divided_;
  DrawBudget draw_budget_;
  NoiseScale noise_scale_;
  Guarantee guarantee_;
};

}  // namespace eigenveil
