#pragma once

#include "eigenveil/core/matrix.hpp"

namespace eigenveil {

/// The largest eigenpairs of a symmetric matrix C that is known through products alone: block
/// Krylov (Rayleigh and Ritz on all products so far), restarted with its best vectors when the
/// basis is full. Whoever multiplies may round a block first and hands over the block as it was
/// multiplied: the equations hold for that one.
class BlockKrylov {
 public:
  /// `most` vectors are kept, at least four blocks.
  BlockKrylov(Eigen::Index dimension, Eigen::Index block, Eigen::Index most);

  /// A product C * block; the block need not be orthogonal to what is known.
  void add(Matrix block, Matrix product);
  /// What to multiply next: residuals of the best vectors, orthonormal. May have fewer columns than
  /// a block; none: every product is known.
  Matrix next();

  /// Ritz values, largest first.
  const Vector& values() const { return values_; }
  /// |C u - value u| of the best `count` vectors u.
  const Vector& residuals() const { return residuals_; }
  Matrix vectors(Eigen::Index count) const;

 private:
  void solve();
  void restart();

  Eigen::Index block_;
  Eigen::Index most_;
  Eigen::Index size_ = 0;  ///< columns of the basis in use
  Matrix basis_;           ///< orthonormal
  Matrix products_;        ///< C times the basis
  Matrix projected_;       ///< basisᵀ C basis
  Vector values_;
  Matrix weights_;  ///< Ritz vectors in the basis
  Matrix errors_;   ///< C u - value u of the best vectors
  Vector residuals_;
};

}  // namespace eigenveil
