#pragma once

#include "eigenveil/core/matrix.hpp"

namespace eigenveil {

/// What is assumed of LAPACK's symmetric and Hermitian solvers (dsyevd, zheevd), conversion of the
/// exact integers to doubles included: eigenpairs are those of a matrix within solver_error(d) of
/// the trace, in Frobenius norm. The constant is ours; bench/utility/solver_error.py searches for a
/// matrix that breaks it. docs/proofs/double_precision.md, assumption (A).
inline double solver_error(Eigen::Index dimension) {
  return 8.0 * (static_cast<double>(dimension) + 4.0) * 0x1p-53;
}

/// The assumption in words, for a release.
inline constexpr const char* kSolverErrorInWords = "8 (d + 4) 2^-53";

}  // namespace eigenveil
