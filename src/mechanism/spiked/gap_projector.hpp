#pragma once

#include <optional>

#include "eigenveil/privacy/calibration.hpp"
#include "eigenveil/privacy/release.hpp"
#include "mechanism/moment/blurred_draw.hpp"
#include "mechanism/moment/covariance.hpp"

namespace eigenveil {

/// spiked-robust: the top-k projector of the exact Gram A of rows clipped to R, with noise that
/// adapts to the eigengap, (epsilon, delta)-DP for every data set. A noisy lower bound on the gap
/// is released first; if it is too small the answer is NULL, else the projector is released with
/// noise for the sensitivity that such a gap leaves. Proof: docs/proofs/spiked_robust.md.

/// How far the top-k projector can move, in the Frobenius norm, between A and any neighbour when
/// the gap of A is at least `gap` and rows have norm at most `radius`: Lemma 2 and 3 of the proof
/// page. Infinite where the lemmas say nothing (gap <= 4 radius²).
double projector_change(double radius, double gap, Relation relation);

/// How far the gap itself can move (Weyl): R² when a row comes or goes, 2 R² when one is replaced.
double gap_change(double radius, Relation relation);

struct GapRequest {
  RowBound bound;
  Units units = Units::Original;
  Budget budget;
  Relation relation = Relation::AddRemove;
  Eigen::Index components = 1;
  double variance_share = 0.2;
  int group_size = 1;  ///< rows protected together
};

/// Everything released. Without a frame the gap was too small: a legal outcome.
struct GapResult {
  double gap_lower = 0.0;  ///< noisy lower bound on the gap of A = sum of x xᵀ
  std::optional<Matrix> frame;
  Matrix inside;  ///< noisy frameᵀ A frame
  double projector_sd = 0.0;
  double count = 0.0;  ///< noisy under add-remove
  double count_sd = 0.0;
};

class GapPlan {
 public:
  static Result<GapPlan> make(const GapRequest& request);
  const GapRequest& request() const { return request_; }
  const Guarantee& guarantee() const { return guarantee_; }
  double radius() const { return radius_; }  ///< of a row, in the units asked for
  double gap_sd() const { return gap_sd_; }
  double inside_sd() const { return inside_sd_; }
  /// Standard deviation on the projector's diagonal for a released lower bound; empty means NULL.
  std::optional<double> projector_sd(double gap_lower) const;
  /// The lower bound a true gap gives, on average.
  double expected_lower(double gap) const { return gap - quantile_ * gap_sd_; }
  /// The smallest gap of A that gives an answer rather than NULL, on average.
  double smallest_useful_gap() const;
  double mu_gap() const { return mu_gap_; }
  double mu_projector() const { return mu_projector_; }
  double mu_inside() const { return mu_inside_; }
  /// Part of one row's delta for a gap below its bound.
  double failure() const { return failure_; }
  double draw_error() const { return wide_ ? wide_->blur.failure : 0.0; }

  Release<GapResult> run(const ExactGram& gram, RandomStream& stream) const;

 private:
  explicit GapPlan(GapRequest request) : request_(std::move(request)) {}
  double solver_error() const;

  GapRequest request_;
  Guarantee guarantee_;
  double radius_ = 0.0;
  double mu_gap_ = 0.0;
  double mu_projector_ = 0.0;
  std::optional<DrawBudget> wide_;  ///< of the projector, where it is drawn without a p x p matrix
  double mu_inside_ = 0.0;
  double failure_ = 0.0;
  double quantile_ = 0.0;  ///< of the standard normal, at 1 - failure
  double gap_sd_ = 0.0;
  double inside_sd_ = 0.0;
};

/// Components of a release that found a gap: the frame turned so that the noisy matrix inside is
/// diagonal, largest variance first. Post-processing.
struct GapComponents {
  Matrix loadings;            ///< p x k
  Vector explained_variance;  ///< per row, noisy, never negative
};
GapComponents gap_components(const GapResult& result);

/// The norm bound of a row in the units asked for.
double row_radius(const RowBound& bound, Units units);

}  // namespace eigenveil
