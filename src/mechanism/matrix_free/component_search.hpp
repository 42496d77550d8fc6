#pragma once

#include <vector>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/data/bounding.hpp"
#include "mechanism/matrix_free/block_krylov.hpp"
#include "mechanism/moment/noise_reach.hpp"

namespace eigenveil {

/// Everything released that turns products with A, noisy sums of products of scaled rows, into
/// products with C = D (A / n - m mᵀ) D, the covariance in the units asked for.
struct ReleasedFrame {
  Vector scales;       ///< d, the diagonal of D; public
  Vector mean;         ///< m, scaled units; zero about a public centre
  double count = 1.0;  ///< n
  double unit2 = 1.0;  ///< scaled units of one step of A
  double trace = 0.0;  ///< of C
  NoiseReach reach;
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
  /// What each component must exceed: `noise_edge` of eigenvalues that are estimated, where not all
  /// are known, on the safe side, and the component's residual.
  Vector edge(const ReleasedFrame& frame, const Matrix& loadings) const;
  /// Components that the last pass still moved.
  const std::vector<Eigen::Index>& open() const { return open_; }
  /// Residuals of the components, relative to the largest eigenvalue.
  Vector relative_residuals() const;

 private:
  void hand_out(const Matrix& block);
  void settle(const ReleasedFrame& frame);
  /// Eigenvalues of C as `noise_edge` looks at them: the components', and for all others numbers
  /// with their mean (the trace is released) and a spread from `squares_of_rest`.
  Vector assumed_eigenvalues(const ReleasedFrame& frame, const Matrix& loadings) const;
  /// The sum S of their squares, from above. |C z|² of random signs z, outside of the components,
  /// is S on average, with a variance of at most 2 b² S, b the largest of them: three standard
  /// deviations of the mean over all z are added. A component that is still moving takes away no
  /// more than its own square.
  double squares_of_rest(const Matrix& loadings, double noise_norm) const;

  Limits limits_;
  Vector scales_;
  BlockKrylov solver_;
  Matrix integers_;
  Vector factors_;      ///< from a column of the block to its integers
  Vector before_;       ///< values after the last pass
  Matrix first_image_;  ///< C z of the random signs
  std::vector<Eigen::Index> open_;
  int passes_ = 0;
};

}  // namespace eigenveil
