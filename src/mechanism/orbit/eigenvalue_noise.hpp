#pragma once

#include <cstdint>

#include "eigenveil/core/integers.hpp"
#include "eigenveil/core/matrix.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/privacy/guarantee.hpp"
#include "eigenveil/random/stream.hpp"
#include "mechanism/moment/hermitian_moment.hpp"
#include "mechanism/moment/moment_plan.hpp"

namespace eigenveil {

/// Rows for which the error of the computed eigenvalues is paid for; listed among the assumptions.
inline constexpr double kEigenvalueRows = 0x1p30;

/// Eigenvalues of M = Σ x xᴴ / R² are rounded to integers of this many steps to 1, R² itself.
inline constexpr double kEigenvalueSteps = 0x1p36;
/// What one row adds to the integer that carries the count: a quarter of kEigenvalueSteps.
inline constexpr double kCountWeight = 0x1p34;

/// The public shape of a release of the k largest eigenvalues of M (and of the row count where it
/// is not public): everything its sensitivity depends on.
struct EigenvalueShape {
  Eigen::Index dimension = 0;
  Eigen::Index rank = 0;
  Relation relation = Relation::AddRemove;

  bool releases_count() const { return !row_count_is_public(relation); }
};

/// How far the released integers can move in l1 norm between neighbours, in steps, rounded up:
/// R² for a row that is added or removed (all eigenvalues rise, and their sum by at most R²), twice
/// that for a replaced row, plus what solver and rounding to integers can add, plus the count.
/// Proof: docs/proofs/eigenvalue_noise.md.
Result<double> eigenvalue_l1_sensitivity(const EigenvalueShape& shape);

/// The same in l2 norm: R² for a row that is added or removed, sqrt(2) R² for a replaced one
/// (Hoffman, Wielandt), R² where one eigenvalue alone is released (Weyl).
Result<double> eigenvalue_l2_sensitivity(const EigenvalueShape& shape);

/// The noise for a share of the budget, in steps, rounded up: Laplace by l1 for pure epsilon,
/// Gaussian by l2 for mu.
Result<NoiseScale> eigenvalue_noise_scale(const EigenvalueShape& shape, const PerRowLoss& budget);

/// Released: sorted, none negative, in units of R².
struct NoisyEigenvalues {
  Vector values;
  double count = 0.0;  ///< noisy; the exact one where it is public
  double value_sd = 0.0;
  double count_sd = 0.0;
};

/// Exactly rounded noise of `scale` (steps, from eigenvalue_noise_scale)
/// on the integers nearest to the computed eigenvalues, then sort and clamp.
NoisyEigenvalues release_eigenvalues(const ExactGram& gram, const HermitianMoment& moment,
                                     const EigenvalueShape& shape, const NoiseScale& scale,
                                     RandomStream& stream);

}  // namespace eigenveil
