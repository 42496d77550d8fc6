#pragma once

#include "mechanism/moment/projected_moment.hpp"
#include "mechanism/orbit/complex_components.hpp"
#include "mechanism/orbit/orbit.hpp"

namespace eigenveil {

/// Released principal components of a draw on the orbit of projections.
struct OrbitComponents {
  OrbitDraw orbit;             ///< the Hermitian projection
  Matrix frame;                ///< real subspace of it, d x k (complex rows: the paired frame, 2d x
                               ///< 2k), on the grid of round_frame
  NoisyProjection projection;  ///< second moment inside the subspace, with the row count
  PrincipalComponents components;            ///< of real rows
  ComplexComponents complex_row_components;  ///< of complex rows
};

/// Principal components: a Hermitian projection of rank k by Algorithm 1, the top k
/// eigenvectors of its real part (complex rows: its own), and the noisy second moment inside them
/// from `variance_share` of the budget. With k = d there is nothing to draw and the second moment
/// gets the whole budget. Proof: docs/proofs/orbit.md, docs/proofs/projected_moment.md.
class OrbitComponentsPlan {
 public:
  static Result<OrbitComponentsPlan> make(const OrbitRequest& request, Eigen::Index rank,
                                          double variance_share);

  const RowBound& bound() const { return request_.bound; }
  const OrbitRequest& request() const { return request_; }
  Eigen::Index rank() const { return spectrum_.size(); }
  double exponent() const { return exponent_; }
  const Blur& blur() const { return blur_; }
  PureDp direction_budget() const { return divided_.directions; }  ///< for one row
  const PerRowLoss& variance_budget() const { return divided_.beside; }
  GaussianDp gaussian() const { return divided_.mu; }  ///< the whole, for the group
  double draw_error() const { return blur_.failure; }
  std::vector<Loss> further_losses() const { return divided_.further_losses(); }
  const ProjectionPlan& projection() const { return projection_; }
  const Guarantee& guarantee() const { return guarantee_; }
  double draw_seconds() const { return orbit_draw_seconds(request_, rank(), exponent_); }

  Result<Release<OrbitComponents>> run(const ExactGram& gram, RandomStream& stream) const;

 private:
  OrbitComponentsPlan(OrbitRequest request, ProjectionPlan projection)
      : request_(std::move(request)), projection_(std::move(projection)) {}

  OrbitRequest request_;
  ProjectionPlan projection_;
  Vector spectrum_;
  double exponent_ = 0.0;
  Blur blur_;
  DrawnBudget divided_;
  Guarantee guarantee_;
};

}  // namespace eigenveil
