#include "sampling/gaussian_block.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include "core/decompositions.hpp"
#include "random/haar.hpp"
#include "random/normal.hpp"
#include "sampling/bingham_kernels.hpp"
#include "sampling/bingham_request.hpp"

namespace eigenveil {
namespace {

/// [(I - Z^T Z)_+^(1/2); Z] Q with Q Haar. Singular values of Z above 1, where Yun and Dudeja's
/// frame has columns longer than 1, are cut to 1: V^T V = I always.
Matrix frame_of_block(const Matrix& block, RandomStream& stream) {
  const Eigen::Index k = block.cols();
  const Eigen::JacobiSVD<Matrix> svd =
      detail::jacobi_svd(block, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Vector inside = svd.singularValues().cwiseMin(1.0);
  const Matrix& left = svd.matrixU();
  const Matrix& right = svd.matrixV();
  // I - Z^T Z is the identity off the row space of Z (p < 2k).
  const Vector defect = (1.0 - inside.array()) * (1.0 + inside.array());
  const Matrix root =
      Matrix::Identity(k, k) +
      right * (defect.array().sqrt() - 1.0).matrix().asDiagonal() * right.transpose();
  const Matrix turn = haar_frame(stream, k, k);
  Matrix frame(block.rows() + k, k);
  frame.topRows(k) = root * turn;
  frame.bottomRows(block.rows()).noalias() =
      left * (inside.asDiagonal() * right.transpose() * turn);
  return frame;
}

/// log of target over proposal; empty outside the unit ball.
std::optional<double> log_weight(const Matrix& block) {
  const Matrix missing = Matrix::Identity(block.cols(), block.cols()) - block.transpose() * block;
  const detail::SelfAdjointEigen spectrum =
      detail::self_adjoint_eigen(missing, Eigen::EigenvaluesOnly);
  if (!(spectrum.eigenvalues()[0] > 0.0)) {
    return std::nullopt;
  }
  return -0.5 * spectrum.eigenvalues().array().log().sum();
}

}  // namespace

GaussianBlockSampler::GaussianBlockSampler(const Vector& eigenvalues, double exponent,
                                           Eigen::Index columns)
    : columns_(columns),
      head_gaps_(exponent * (eigenvalues.head(columns).array() - eigenvalues[columns - 1])),
      tail_gaps_(exponent * (eigenvalues[columns - 1] -
                             eigenvalues.tail(eigenvalues.size() - columns).array())) {}

Result<GaussianBlockSampler> GaussianBlockSampler::make(const Vector& eigenvalues, double exponent,
                                                        Eigen::Index columns) {
  if (std::optional<Error> error = detail::check_bingham_request(eigenvalues, exponent, columns)) {
    return tl::unexpected<Error>(std::move(*error));
  }
  if (columns == eigenvalues.size()) {
    return bad_request("the Gaussian block needs fewer columns than eigenvalues");
  }
  if (!(exponent * (eigenvalues[columns - 1] - eigenvalues[columns]) > 0.0)) {
    return bad_request(
        "the Gaussian block needs a positive exponent and a gap below the last captured "
        "eigenvalue");
  }
  return GaussianBlockSampler(eigenvalues, exponent, columns);
}

Matrix GaussianBlockSampler::propose_block(RandomStream& stream) const {
  Matrix block(tail_gaps_.size(), columns_);
  fill_standard_normal(stream, {block.data(), static_cast<std::size_t>(block.size())});
  for (Eigen::Index j = 0; j < columns_; ++j) {
    double* const column = block.data() + j * block.rows();
    detail::scale_by_precision(column, tail_gaps_.data(), head_gaps_[j], column,
                               static_cast<std::size_t>(block.rows()));
  }
  return block;
}

Matrix GaussianBlockSampler::draw(RandomStream& stream) const {
  return frame_of_block(propose_block(stream), stream);
}

GaussianBlockChain::GaussianBlockChain(GaussianBlockSampler proposals, int steps)
    : proposals_(std::move(proposals)), steps_(steps) {}

Result<GaussianBlockChain> GaussianBlockChain::make(const Vector& eigenvalues, double exponent,
                                                    Eigen::Index columns, int steps) {
  if (steps < 1) {
    return bad_request("a chain needs at least one step");
  }
  Result<GaussianBlockSampler> proposals =
      GaussianBlockSampler::make(eigenvalues, exponent, columns);
  if (!proposals) {
    return error_of(proposals);
  }
  return GaussianBlockChain(*std::move(proposals), steps);
}

Matrix GaussianBlockChain::draw(RandomStream& stream) const {
  Matrix state = Matrix::Zero(proposals_.tail_gaps_.size(), proposals_.columns_);
  double state_log_weight = 0.0;
  for (int step = 0; step < steps_; ++step) {
    Matrix candidate = proposals_.propose_block(stream);
    const std::optional<double> candidate_log_weight = log_weight(candidate);
    const double log_uniform = std::log(uniform(stream));
    if (candidate_log_weight && log_uniform < *candidate_log_weight - state_log_weight) {
      state = std::move(candidate);
      state_log_weight = *candidate_log_weight;
    }
  }
  return frame_of_block(state, stream);
}

}  // namespace eigenveil
