#include "sampling/peeled_frames.hpp"

#include <cmath>
#include <vector>

#include "core/decompositions.hpp"
#include "random/haar.hpp"
#include "random/normal.hpp"

namespace eigenveil::detail {
namespace {

Vector tail_penalties(const Vector& eigenvalues, double exponent, Eigen::Index captured) {
  const auto tail = eigenvalues.tail(eigenvalues.size() - captured);
  return exponent * (tail[0] - tail.array());
}

/// N(0, diag(inverse_gaps) / 2) given that it is orthogonal to U.
Vector orthogonal_normal(const Vector& inverse_gaps, const Matrix& roaming,
                         const Eigen::LLT<Matrix>& form, RandomStream& stream) {
  Vector normal(inverse_gaps.size());
  fill_standard_normal(stream, {normal.data(), static_cast<std::size_t>(normal.size())});
  normal.array() *= (0.5 * inverse_gaps.array()).sqrt();
  const Vector along = form.solve(roaming.transpose() * normal);
  return normal - inverse_gaps.cwiseProduct(roaming * along);
}

double log_determinant(const Eigen::LLT<Matrix>& factor) {
  return 2.0 * factor.matrixLLT().diagonal().array().log().sum();
}

}  // namespace

PeeledFrames::PeeledFrames(const Vector& eigenvalues, double exponent, Eigen::Index columns,
                           Eigen::Index captured)
    : captured_(captured),
      roaming_(columns - captured),
      inverse_gaps_(eigenvalues.size() - captured, captured),
      least_(captured),
      envelope_(tail_penalties(eigenvalues, exponent, captured), columns - captured) {
  const auto tail = eigenvalues.tail(eigenvalues.size() - captured);
  for (Eigen::Index j = 0; j < captured; ++j) {
    inverse_gaps_.col(j) = (exponent * (eigenvalues[j] - tail.array())).inverse();
    // Cauchy interlacing: the m smallest of them, which stand last.
    least_[j] = inverse_gaps_.col(j).tail(roaming_).array().log().sum();
  }
}

bool PeeledFrames::propose(RandomStream& stream, Workspace& workspace, Matrix& frame) const {
  const Eigen::Index rest = inverse_gaps_.rows();
  Matrix& u = workspace.roaming;
  Matrix& z = workspace.tail;
  u.resize(rest, roaming_);
  z.resize(rest, captured_);
  if (!envelope_.propose(stream, workspace.envelope, u)) {
    return false;
  }
  // The mass of the Gaussian given U, over its largest.
  std::vector<Eigen::LLT<Matrix>> forms;
  double log_mass = 0.0;
  for (Eigen::Index j = 0; j < captured_; ++j) {
    forms.emplace_back(u.transpose() * inverse_gaps_.col(j).asDiagonal() * u);
    log_mass += 0.5 * (least_[j] - log_determinant(forms.back()));
  }
  if (!(std::log(uniform(stream)) < log_mass)) {
    return false;
  }
  for (Eigen::Index j = 0; j < captured_; ++j) {
    z.col(j) =
        orthogonal_normal(inverse_gaps_.col(j), u, forms[static_cast<std::size_t>(j)], stream);
  }
  const Matrix left = Matrix::Identity(captured_, captured_) - z.transpose() * z;
  const SelfAdjointEigen roots = self_adjoint_eigen(left);
  if (!(roots.eigenvalues()[0] > 0.0)) {
    return false;
  }
  const double weight = 0.5 * (static_cast<double>(roaming_) - 1.0);
  if (!(std::log(uniform(stream)) < weight * roots.eigenvalues().array().log().sum())) {
    return false;
  }
  frame.resize(captured_ + rest, captured_ + roaming_);
  frame.topRightCorner(captured_, roaming_).setZero();
  frame.topLeftCorner(captured_, captured_) = roots.operatorSqrt();
  frame.bottomLeftCorner(rest, captured_) = z;
  frame.bottomRightCorner(rest, roaming_) = u;
  frame = frame * haar_frame(stream, frame.cols(), frame.cols());
  return true;
}

}  // namespace eigenveil::detail
