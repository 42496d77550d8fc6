#include "sampling/angular_gaussian.hpp"

#include <cmath>
#include <span>

#include "core/decompositions.hpp"
#include "random/normal.hpp"
#include "sampling/bingham_kernels.hpp"

namespace eigenveil::detail {

double envelope_offset(const Vector& penalties) {
  // The left side is convex and decreasing in b: Newton's method from the left rises monotonically.
  constexpr int kMaxSteps = 200;
  constexpr double kRelativeStep = 1e-12;
  double b = 1.0;
  for (int step = 0; step < kMaxSteps; ++step) {
    const Eigen::ArrayXd inverse = (b + 2.0 * penalties.array()).inverse();
    const double change = (inverse.sum() - 1.0) / inverse.square().sum();
    b += change;
    if (change <= kRelativeStep * b) {
      break;
    }
  }
  return b;
}

double log_envelope_ratio(double quadratic_form, double dimension) {
  const double excess = (quadratic_form - dimension) / dimension;
  return 0.5 * dimension * (std::log1p(excess) - excess);
}

AngularGaussianEnvelope::AngularGaussianEnvelope(const Vector& penalties, Eigen::Index columns)
    : columns_(columns), half_precision_(penalties.array() + 0.5 * envelope_offset(penalties)) {}

bool AngularGaussianEnvelope::propose_vector(RandomStream& stream, Workspace& workspace,
                                             Matrix& frame) const {
  const auto count = static_cast<std::size_t>(half_precision_.size());
  double* const normals = workspace.normals.data();
  double* const scaled = workspace.scaled.data();
  fill_standard_normal(stream, {normals, count});
  scale_by_precision(normals, half_precision_.data(), 0.0, scaled, count);
  const double squared_norm = dot(scaled, scaled, count);
  const double quadratic_form = dot(normals, normals, count) / squared_norm;
  if (!(std::log(uniform(stream)) <
        log_envelope_ratio(quadratic_form, static_cast<double>(count)))) {
    return false;
  }
  frame.col(0) = workspace.scaled.col(0) / std::sqrt(squared_norm);
  return true;
}

bool AngularGaussianEnvelope::propose(RandomStream& stream, Workspace& workspace,
                                      Matrix& frame) const {
  const Eigen::Index rows = half_precision_.size();
  workspace.normals.resize(rows, columns_);
  workspace.scaled.resize(rows, columns_);
  if (columns_ == 1) {
    return propose_vector(stream, workspace, frame);
  }
  fill_standard_normal(
      stream, {workspace.normals.data(), static_cast<std::size_t>(workspace.normals.size())});
  for (Eigen::Index j = 0; j < columns_; ++j) {
    scale_by_precision(workspace.normals.col(j).data(), half_precision_.data(), 0.0,
                       workspace.scaled.col(j).data(), static_cast<std::size_t>(rows));
  }
  // V = Y G^{-1/2}, G = Y^T Y, so V^T D V = G^{-1/2} (Y^T D Y) G^{-1/2} and Y^T D Y is the Gram
  // matrix of the normals. The symmetric root keeps the law invariant under V -> V Q.
  const Matrix gram = workspace.scaled.transpose() * workspace.scaled;
  const SelfAdjointEigen roots = self_adjoint_eigen(gram);
  if (!(roots.eigenvalues()[0] > 0.0)) {
    return false;  // probability zero: a singular Gaussian matrix
  }
  const Matrix inverse_root = roots.operatorInverseSqrt();
  const Matrix form =
      inverse_root * (workspace.normals.transpose() * workspace.normals) * inverse_root;
  const SelfAdjointEigen forms = self_adjoint_eigen(form, Eigen::EigenvaluesOnly);
  double log_ratio = 0.0;
  for (const double t : forms.eigenvalues()) {
    log_ratio += log_envelope_ratio(t, static_cast<double>(rows));
  }
  if (!(std::log(uniform(stream)) < log_ratio)) {
    return false;
  }
  frame.noalias() = workspace.scaled * inverse_root;
  return true;
}

}  // namespace eigenveil::detail
