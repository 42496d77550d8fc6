#include "eigenveil/sampling/gaussian_block.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <optional>
#include <utility>

#include "bingham_kernels.hpp"
#include "bingham_request.hpp"
#include "eigenveil/random/haar.hpp"
#include "eigenveil/random/normal.hpp"

namespace eigenveil {
namespace {

/// [(I - Z^T Z)_+^(1/2); Z] Q with Q Haar.
Matrix frame_of_block(const Matrix& block, RandomStream& stream) {
  const Eigen::Index k = block.cols();
  const Matrix gram = block.transpose() * block;
  const Eigen::SelfAdjointEigenSolver<Matrix> squares(gram);
  const Matrix& directions = squares.eigenvectors();
  // Along a direction u with |Z u|^2 = s > 1 the source's frame has columns of length sqrt(s);
  // dividing by it restores V^T V = I.
  const Vector inside = (1.0 - squares.eigenvalues().array()).max(0.0).sqrt();
  const Vector lengths = squares.eigenvalues().array().max(1.0).sqrt();
  const Matrix turn = haar_frame(stream, k, k);
  Matrix frame(block.rows() + k, k);
  frame.topRows(k) = directions * inside.asDiagonal() * directions.transpose() * turn;
  const Matrix shrink =
      directions * lengths.cwiseInverse().asDiagonal() * directions.transpose() * turn;
  frame.bottomRows(block.rows()).noalias() = block * shrink;
  return frame;
}

/// log of target over proposal; empty outside the unit ball.
std::optional<double> log_weight(const Matrix& block) {
  const Matrix missing = Matrix::Identity(block.cols(), block.cols()) - block.transpose() * block;
  const Eigen::SelfAdjointEigenSolver<Matrix> spectrum(missing, Eigen::EigenvaluesOnly);
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
