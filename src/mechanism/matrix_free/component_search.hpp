#pragma once

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/data/bounding.hpp"
#include "mechanism/matrix_free/block_krylov.hpp"

namespace eigenveil {

/// Everything released that turns products with A, noisy sums of products of scaled rows, into
/// products with C = D (A / n - m mᵀ) D, the covariance in the units asked for.
struct ReleasedFrame {
  Vector scales;       ///< d, the diagonal of D; public
  Vector mean;         ///< m, scaled units; zero about a public centre
  double count = 1.0;  ///< n
  double unit2 = 1.0;  ///< scaled units of one step of A
  double trace = 0.0;  ///< of C
  double noise_floor = 0.0;
};

/// Leading components of C by exact products with A: what to multiply next, and when to stop.
/// Sees released numbers alone, so all of it is post-processing.
class ComponentSearch {
 public:
  struct Limits {
    Eigen::Index components = 1;
    int passes = 64;
    int vector_bits = 20;  ///< whole numbers handed out are at most 2^this
  };
  ComponentSearch(const Vector& scales, const Limits& limits);

  /// Whole numbers V; the next products wanted are A V.
  const Matrix& block() const { return integers_; }
  /// A V, in grid steps. False: the search is over.
  bool add(const Matrix& product, const ReleasedFrame& frame);

  Eigen::Index components() const { return limits_.components; }
  int passes() const { return passes_; }
  const BlockKrylov& solver() const { return solver_; }
  /// Eigenvalues of C as `noise_edge` looks at them: the components', and for all others numbers
  /// with their mean (the trace is released) and their spread (|C z|² of random signs z, outside of
  /// the components, is the sum of their squares on average).
  Vector assumed_eigenvalues(const ReleasedFrame& frame, const Matrix& loadings) const;
  /// Residuals of the components, relative to the largest eigenvalue.
  Vector relative_residuals() const;

 private:
  void hand_out(const Matrix& block);
  bool settled(const ReleasedFrame& frame) const;

  Limits limits_;
  Vector scales_;
  BlockKrylov solver_;
  Matrix integers_;
  Vector factors_;      ///< from a column of the block to its integers
  Vector before_;       ///< values after the last pass
  Matrix first_image_;  ///< C z of the random signs
  int passes_ = 0;
};

}  // namespace eigenveil
