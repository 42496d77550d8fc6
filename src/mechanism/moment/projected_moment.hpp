#pragma once

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/core/result.hpp"
#include "mechanism/moment/moment_plan.hpp"
#include "mechanism/moment/principal_components.hpp"

namespace eigenveil {

/// Norm bound of a row D x, x within `bound` and D = diag(scales) > 0: the smaller of
/// max(d)² R² and Σ d_j² max|x_j|², rounded up.
double scaled_norm2_bound(const RowBound& bound, const Vector& scales);

/// D (Σ x xᵀ) D in doubles: private, for mechanisms that draw a frame.
Matrix scaled_moment(const ExactGram& gram, const Vector& scales);

/// Entries rounded to a public grid of 2^-30: what a drawn frame is released as. Everything after
/// it, the projection included, is computed from the rounded frame.
Matrix round_frame(const Matrix& frame);

/// Vᵀ D (Σ x xᵀ) D V of a released frame V after noise, with the row count: safe to publish.
struct NoisyProjection {
  Matrix products;  ///< k x k, in the units of the scales
  double product_sd = 0.0;
  double off_diagonal_sd = 0.0;
  double count = 0.0;
  double count_sd = 0.0;
  bool count_is_public = false;
  NoiseLaw law = NoiseLaw::Gaussian;
};

/// Everything public that a projection depends on, but the frame.
struct ProjectionRequest {
  RowBound bound;
  Vector scales;  ///< column_scales(bound, units)
  Eigen::Index columns = 1;
  Relation relation = Relation::AddRemove;
  PerRowLoss per_row;  ///< sharpest_law decides the noise
};

/// The second moment inside a subspace that was released before. The frame is rounded to integers
/// F = round(2^s D V / max(d)), the projected rows Fᵀ v are integers within a norm bound that holds
/// for every orthonormal frame, and Fᵀ (Σ v vᵀ) F is computed exactly: the mechanisms of the second
/// moment apply in k dimensions. Basis `proved`. Proof: docs/proofs/projected_moment.md.
class ProjectionPlan {
 public:
  static Result<ProjectionPlan> make(const ProjectionRequest& request);
  double product_sd() const;
  double off_diagonal_sd() const;
  double count_sd() const;  ///< of the noisy row count; 0 where the count is public
  const Guarantee& guarantee() const { return guarantee_; }

  /// `frame`: p x k, |VᵀV - I| <= 2^-20, refused otherwise (it is public).
  Result<Release<NoisyProjection>> run(const ExactGram& gram, const Matrix& frame,
                                       RandomStream& stream) const;

 private:
  ProjectionPlan(ProjectionRequest request, int frame_bits, MomentShape shape,
                 CalibratedNoise noise, Guarantee guarantee);
  double product_unit() const;  ///< of one grid step of the projected products

  ProjectionRequest request_;
  int frame_bits_;
  MomentShape shape_;
  CalibratedNoise noise_;
  Guarantee guarantee_;
};

/// Rotates the frame to the eigenvectors of the noisy projection, largest variance first, signs
/// fixed from the loadings: post-processing. There is no total variance, so shares are of the
/// variance inside the subspace.
PrincipalComponents components_in_subspace(const Matrix& frame, const NoisyProjection& projection);

}  // namespace eigenveil
