#include "sampling/gelfand_tsetlin.hpp"

#include <cassert>
#include <cmath>
#include <complex>
#include <cstddef>
#include <utility>
#include <vector>

#include "random/normal.hpp"

namespace eigenveil {
namespace {

using Index = Eigen::Index;
using Complex = std::complex<double>;

/// Eigenpairs of W_i = sum of the first i outer products v vᴴ, and the step from W_{i-1} to W_i
/// with prescribed spectra. Column j of `basis_` belongs to the j-th largest eigenvalue.
class RankOneLadder {
 public:
  explicit RankOneLadder(Index rank)
      : spectrum_(Vector::Zero(rank)), basis_(ComplexMatrix::Identity(rank, rank)) {}

  /// Moves to `next` and returns v. `normals`: 2 k standard normals, the random directions.
  Eigen::VectorXcd step(const Vector& next, const Complex* normals) {
    group_equal_eigenvalues(normals);
    deflate(next);
    const Vector weights = residues(next);
    Eigen::VectorXcd row = Eigen::VectorXcd::Zero(spectrum_.size());
    for (std::size_t g = 0; g < old_.size(); ++g) {
      row += weights[static_cast<Index>(g)] * basis_.col(old_[g]);
    }
    rotate(next, weights);
    spectrum_ = next;
    return row;
  }

  const ComplexMatrix& basis() const { return basis_; }

 private:
  /// Turns the basis of each eigenspace so that v meets it only along its first vector, a uniform
  /// unit vector of the eigenspace (a uniform phase when it is a line).
  void group_equal_eigenvalues(const Complex* normals) {
    old_.clear();
    const Index rank = spectrum_.size();
    for (Index first = 0, size = 0; first < rank; first += size) {
      size = 1;
      while (first + size < rank && spectrum_[first + size] == spectrum_[first]) {
        ++size;
      }
      Eigen::VectorXcd direction = Eigen::Map<const Eigen::VectorXcd>(normals + first, size);
      direction.normalize();
      const Complex phase = -direction[0] / std::abs(direction[0]);
      auto space = basis_.middleCols(first, size);
      if (size == 1) {
        space *= direction[0];
      } else {
        // The reflection that takes `direction` to phase * e_1 also takes it back.
        Eigen::VectorXcd axis = direction;
        axis[0] -= phase;
        const Eigen::VectorXcd image = space * axis * (2.0 / axis.squaredNorm());
        space -= image * axis.adjoint();
        space *= phase;
      }
      old_.push_back(first);
    }
  }

  /// Pairs an old eigenvalue with an equal new one: v has no part there, the eigenvector stays.
  /// What is left interlaces strictly.
  void deflate(const Vector& next) {
    turned_ = basis_;  // forced copies of a repeated eigenvalue keep their places
    new_.clear();
    std::vector<Index> left;
    std::size_t g = 0;
    for (const Index place : old_) {
      while (g < old_.size() && spectrum_[old_[g]] > next[place]) {
        left.push_back(old_[g++]);
      }
      if (g < old_.size() && spectrum_[old_[g]] == next[place]) {
        turned_.col(place) = basis_.col(old_[g++]);
      } else {
        new_.push_back(place);
      }
    }
    left.insert(left.end(), old_.begin() + static_cast<std::ptrdiff_t>(g), old_.end());
    old_ = std::move(left);
    assert(old_.size() == new_.size() && "consecutive rows of a pattern interlace");
  }

  /// |v_g|² = prod_s (lambda_s - mu_g) / prod_{h != g} (mu_h - mu_g), paired so that every factor
  /// is a ratio of differences of the same sign.
  Vector residues(const Vector& next) const {
    Vector weights(static_cast<Index>(old_.size()));
    for (std::size_t g = 0; g < old_.size(); ++g) {
      const double mu = spectrum_[old_[g]];
      double weight = next[new_[g]] - mu;
      for (std::size_t h = 0; h < old_.size(); ++h) {
        if (h != g) {
          weight *= (next[new_[h]] - mu) / (spectrum_[old_[h]] - mu);
        }
      }
      weights[static_cast<Index>(g)] = std::sqrt(weight);
    }
    return weights;
  }

  /// Eigenvectors of diag(mu) + z zᵀ: column s is z_g / (mu_g - lambda_s), normalised. With z from
  /// the residues they are orthogonal to working precision (Gu and Eisenstat 1994).
  void rotate(const Vector& next, const Vector& weights) {
    const auto size = static_cast<Index>(old_.size());
    Matrix turn(size, size);
    ComplexMatrix moving(basis_.rows(), size);
    for (Index g = 0; g < size; ++g) {
      moving.col(g) = basis_.col(old_[static_cast<std::size_t>(g)]);
    }
    for (Index s = 0; s < size; ++s) {
      const double lambda = next[new_[static_cast<std::size_t>(s)]];
      for (Index g = 0; g < size; ++g) {
        turn(g, s) = weights[g] / (spectrum_[old_[static_cast<std::size_t>(g)]] - lambda);
      }
      turn.col(s) /= turn.col(s).lpNorm<Eigen::Infinity>();  // no overflow in the norm
      turn.col(s).normalize();
    }
    const ComplexMatrix turned = moving * turn;
    for (Index s = 0; s < size; ++s) {
      turned_.col(new_[static_cast<std::size_t>(s)]) = turned.col(s);
    }
    basis_.swap(turned_);
  }

  Vector spectrum_;
  ComplexMatrix basis_;
  ComplexMatrix turned_;
  std::vector<Index> old_, new_;  ///< places of the eigenvalues that move
};

}  // namespace

GelfandTsetlinPattern largest_pattern(const Vector& spectrum, Index dimension) {
  GelfandTsetlinPattern pattern = GelfandTsetlinPattern::Zero(dimension, spectrum.size());
  for (Index i = 0; i < dimension; ++i) {
    for (Index j = 0; j <= i && j < spectrum.size(); ++j) {
      pattern(i, j) = spectrum[j];
    }
  }
  return pattern;
}

GelfandTsetlinPattern smallest_pattern(const Vector& spectrum, Index dimension) {
  GelfandTsetlinPattern pattern = GelfandTsetlinPattern::Zero(dimension, spectrum.size());
  for (Index i = 0; i < dimension; ++i) {
    for (Index j = 0; j + dimension - 1 - i < spectrum.size(); ++j) {
      pattern(i, j) = spectrum[j + dimension - 1 - i];
    }
  }
  return pattern;
}

ComplexMatrix frame_from_pattern(const GelfandTsetlinPattern& pattern, RandomStream& stream) {
  const Index rank = pattern.cols();
  ComplexMatrix directions(rank, pattern.rows());
  fill_standard_normal(stream, {reinterpret_cast<double*>(directions.data()),
                                2 * static_cast<std::size_t>(directions.size())});
  RankOneLadder ladder(rank);
  ComplexMatrix frame(pattern.rows(), rank);
  for (Index i = 0; i < pattern.rows(); ++i) {
    frame.row(i) = ladder.step(pattern.row(i), directions.col(i).data()).adjoint();
  }
  // H does not see a unitary on the right; this one makes the columns orthogonal.
  return frame * ladder.basis();
}

}  // namespace eigenveil
