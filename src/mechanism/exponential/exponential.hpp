#pragma once

#include "eigenveil/privacy/calibration.hpp"
#include "mechanism/moment/blurred_draw.hpp"
#include "mechanism/moment/drawn_budget.hpp"
#include "mechanism/moment/projected_moment.hpp"

namespace eigenveil {

/// Everything public that one component by the exponential mechanism depends on.
struct ExponentialRequest {
  RowBound bound;
  Vector scales;  ///< column_scales(bound, units)
  Budget budget;
  Relation relation = Relation::AddRemove;
  int group_size = 1;
  double variance_share = 0.2;  ///< of the budget, for variance and row count
};

/// A drawn subspace with what was measured inside it: safe to publish.
struct DrawnSubspace {
  Schema schema;
  Matrix frame;  ///< p x k on a public grid
  NoisyProjection projection;
  /// The zero frame: a method found its target out of reach and drew nothing.
  bool is_null() const { return frame.isZero(0.0); }
};

/// One principal component: a unit vector u with density proportional to exp(c uᵀ M u), M = Σ x xᵀ
/// of rows with norm at most R, by an exact sampler; then the variance along u and the row count
/// with exactly rounded noise. c = epsilon / R² for add-remove and zero-row (the score only grows
/// with a row), epsilon / (2 R²) for replace-one. The draw has range epsilon, so rho buys
/// epsilon = sqrt(8 rho) and mu twice its pure epsilon. Basis proved-real-arithmetic. Proofs:
/// docs/proofs/exponential.md, docs/proofs/bounded_range.md.
class ExponentialPlan {
 public:
  double exponent() const { return exponent_; }  ///< c, in the units of `scales`
  const Blur& blur() const { return blur_; }     ///< of the drawn direction
  /// Of draw and blur, per row.
  double direction_epsilon() const { return divided_.directions.epsilon; }
  double row_norm2_bound() const { return row_norm2_bound_; }  ///< R² in the units of `scales`
  /// rho of the whole release under zCDP, by the bounded range of the draw: the tighter figure for
  /// composition.
  double zcdp_rho() const { return divided_.rho_per_row.rho; }
  /// What the whole release is as Gaussian DP, for the group.
  GaussianDp gaussian() const { return divided_.mu; }
  double draw_error() const { return blur_.failure; }
  std::vector<Loss> further_losses() const { return divided_.further_losses(); }
  const ProjectionPlan& projection() const { return projection_; }
  const Guarantee& guarantee() const { return guarantee_; }

  Result<Release<DrawnSubspace>> run(const ExactGram& gram, RandomStream& stream) const;

 private:
  friend Result<ExponentialPlan> plan_exponential(const ExponentialRequest& request);
  ExponentialPlan(Vector scales, ProjectionPlan projection)
      : scales_(std::move(scales)), projection_(std::move(projection)) {}

  Vector scales_;
  ProjectionPlan projection_;
  double exponent_ = 0.0;
  Blur blur_;
  DrawnBudget divided_;
  double row_norm2_bound_ = 0.0;
  Guarantee guarantee_;
};

Result<ExponentialPlan> plan_exponential(const ExponentialRequest& request);

/// c for a draw with pure loss `epsilon`, rounded down. Refused for relations the proof does not
/// cover.
Result<double> exponential_exponent(double epsilon, double row_norm2_bound, Relation relation);

/// The draw alone: p x 1, blurred, on the public grid. `moment` is Σ x xᵀ in the units of the
/// exponent.
Matrix draw_component(const Matrix& moment, double exponent, const Blur& blur,
                      RandomStream& stream);

}  // namespace eigenveil
