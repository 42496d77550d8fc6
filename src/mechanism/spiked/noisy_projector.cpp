#include "mechanism/spiked/noisy_projector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/decompositions.hpp"
#include "core/symmetric_eigen.hpp"
#include "random/haar.hpp"
#include "random/normal.hpp"

namespace eigenveil {
namespace {

constexpr double kResidual = 1e-12;

double normal_draw(RandomStream& stream) {
  double value = 0.0;
  fill_standard_normal(stream, {&value, 1});
  return value;
}

/// A chi variable with `freedom` degrees (Marsaglia, Tsang 2000 for the gamma law).
double chi_draw(RandomStream& stream, double freedom) {
  if (freedom < 2.0) {
    return freedom < 1.0 ? 0.0 : std::abs(normal_draw(stream));
  }
  const double d = freedom / 2.0 - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = normal_draw(stream);
    const double v = std::pow(1.0 + c * x, 3.0);
    if (v > 0.0 && std::log(uniform(stream)) < 0.5 * x * x + d - d * v + d * std::log(v)) {
      return std::sqrt(2.0 * d * v);
    }
  }
}

/// The noise as a chain of blocks, drawn only as far as the top eigenvectors reach.
class BlockChain {
 public:
  BlockChain(Eigen::Index dimension, Eigen::Index rank, double sd, RandomStream& stream)
      : dimension_(dimension), rank_(rank), sd_(sd), stream_(&stream) {}

  /// The first r rows of the top-r eigenvectors of diag(I_r, 0) + noise.
  Matrix top_rows() {
    const Eigen::Index most = std::max<Eigen::Index>(1, dimension_ / rank_ - 1);
    for (Eigen::Index blocks = std::min<Eigen::Index>(24, most);;
         blocks = std::min(2 * blocks, most)) {
      grow(blocks);
      const SymmetricEigen top = largest_eigenpairs(assemble(blocks), rank_);
      const Matrix last = couplings_.back().transpose() * top.vectors.bottomRows(rank_);
      if (last.norm() < kResidual) {
        return top.vectors.topRows(rank_);
      }
      if (blocks == most) {
        return largest_eigenpairs(complete(most), rank_).vectors.topRows(rank_);
      }
    }
  }

 private:
  void grow(Eigen::Index blocks) {
    const double off = sd_ * std::sqrt(0.5);
    while (static_cast<Eigen::Index>(diagonals_.size()) < blocks) {
      const auto index = static_cast<Eigen::Index>(diagonals_.size());
      Matrix diagonal(rank_, rank_);
      Matrix coupling = Matrix::Zero(rank_, rank_);
      for (Eigen::Index j = 0; j < rank_; ++j) {
        for (Eigen::Index i = 0; i < j; ++i) {
          diagonal(i, j) = diagonal(j, i) = off * normal_draw(*stream_);
          coupling(i, j) = off * normal_draw(*stream_);
        }
        diagonal(j, j) = sd_ * normal_draw(*stream_) + (index == 0 ? 1.0 : 0.0);
        // R of the QR factorisation of a (p - (index + 1) r) x r Gaussian matrix.
        coupling(j, j) =
            off * chi_draw(*stream_, static_cast<double>(dimension_ - (index + 1) * rank_ - j));
      }
      diagonals_.push_back(diagonal);
      couplings_.push_back(coupling.transpose());  // upper block: Rᵀ
    }
  }

  /// The whole matrix: the chain, and what is left of it as one symmetric Gaussian block.
  Matrix complete(Eigen::Index blocks) {
    const Eigen::Index done = blocks * rank_;
    const Eigen::Index rest = dimension_ - done;  // at least r
    const double off = sd_ * std::sqrt(0.5);
    Matrix whole = Matrix::Zero(dimension_, dimension_);
    whole.topLeftCorner(done, done) = assemble(blocks);
    whole.block(done - rank_, done, rank_, rank_) =
        couplings_[static_cast<std::size_t>(blocks - 1)];
    for (Eigen::Index j = 0; j < rest; ++j) {
      for (Eigen::Index i = 0; i < j; ++i) {
        whole(done + i, done + j) = off * normal_draw(*stream_);
      }
      whole(done + j, done + j) = sd_ * normal_draw(*stream_);
    }
    return whole;  // the upper triangle is all that is read
  }

  Matrix assemble(Eigen::Index blocks) const {
    Matrix chain = Matrix::Zero(blocks * rank_, blocks * rank_);
    for (Eigen::Index b = 0; b < blocks; ++b) {
      const auto index = static_cast<std::size_t>(b);
      chain.block(b * rank_, b * rank_, rank_, rank_) = diagonals_[index];
      if (b + 1 < blocks) {
        chain.block(b * rank_, (b + 1) * rank_, rank_, rank_) = couplings_[index];
      }
    }
    return chain;  // the upper triangle is all that is read
  }

  Eigen::Index dimension_;
  Eigen::Index rank_;
  double sd_;
  RandomStream* stream_;
  std::vector<Matrix> diagonals_;
  std::vector<Matrix> couplings_;
};

}  // namespace

Matrix noisy_subspace(const Matrix& frame, const SymmetricNoise& noise, RandomStream& stream) {
  return largest_eigenpairs(add_symmetric_noise(frame * frame.transpose(), noise, stream),
                            frame.cols())
      .vectors;
}

Result<void> check_wide_subspace(Eigen::Index dimension, Eigen::Index rank) {
  if (dimension > kDenseProjector && rank > dimension / 4) {
    return bad_request(
        fmt::format("with more than {} columns the subspace is drawn without a p x p matrix, which "
                    "needs a rank "
                    "of at most a quarter of the columns; ask for fewer components",
                    kDenseProjector));
  }
  return {};
}

Matrix noisy_subspace_wide(const Matrix& frame, double standard_deviation, const Blur& blur,
                           RandomStream& stream) {
  const Eigen::Index p = frame.rows();
  const Eigen::Index r = frame.cols();
  if (standard_deviation * std::sqrt(0.5 * static_cast<double>(p)) >= kDrowned) {
    return haar_frame(stream, p, r);
  }
  const Matrix inside = BlockChain(p, r, standard_deviation, stream).top_rows();
  // Outside the frame: H L with H uniform among the frames orthogonal to it and LᵀL what is left of
  // orthonormality.
  const SymmetricEigen left = symmetric_eigen(Matrix::Identity(r, r) - inside.transpose() * inside);
  const Matrix root =
      left.vectors * left.values.cwiseMax(0.0).cwiseSqrt().asDiagonal() * left.vectors.transpose();
  Matrix outside(p, r);
  fill_standard_normal(stream, {outside.data(), static_cast<std::size_t>(outside.size())});
  outside -= frame * (frame.transpose() * outside);
  // Turned by a uniform rotation: the released basis must say nothing of the basis (and its signs)
  // that the solver chose for the data's subspace. Drawn in doubles: the blur hides the low bits.
  const Matrix drawn = orthonormalised(frame * inside + orthonormalised(outside) * root);
  return blurred_frame(drawn * haar_frame(stream, r, r), blur, stream);
}

double projector_noise_error(Eigen::Index dimension, Eigen::Index rank,
                             double off_diagonal_standard_deviation) {
  const double share = static_cast<double>(dimension - rank) * off_diagonal_standard_deviation *
                       off_diagonal_standard_deviation;
  return 2.0 * static_cast<double>(rank) * std::min(1.0, share);
}

}  // namespace eigenveil
