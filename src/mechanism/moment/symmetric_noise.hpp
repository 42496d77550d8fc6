#pragma once

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/random/stream.hpp"

namespace eigenveil {

/// Exactly rounded Gaussian noise on a statistic that is a matrix of doubles and not of integers.
/// Entries are first rounded to the public grid the noise lives on, which moves a p x p matrix by
/// at most (grid step) * p in the Frobenius norm between neighbours. `symmetric_noise_sd` pays for
/// that. Proof: docs/proofs/spiked.md, "Rounding".
struct SymmetricNoise {
  double diagonal = 0.0;      ///< standard deviation on the diagonal
  double off_diagonal = 0.0;  ///< 1/sqrt(2) of it for isotropic noise
  double grid = 0.0;          ///< public power of two; results are multiples of it
};

/// The standard deviation that hides a change of `sensitivity` at mu together with the rounding of
/// `entries_per_side`^2 entries, rounded up. Refused when the budget is too small or too large for
/// the grid.
Result<double> symmetric_noise_sd(double sensitivity, double mu, Eigen::Index entries_per_side);

/// Isotropic noise in the space of symmetric matrices (off-diagonals at half the variance), or
/// `every_entry_alike`: the same variance everywhere, as some sources have it.
SymmetricNoise symmetric_noise(double standard_deviation, bool every_entry_alike = false);

/// round(matrix) + rounded noise, symmetric. Reads the upper triangle.
Matrix add_symmetric_noise(const Matrix& matrix, const SymmetricNoise& noise, RandomStream& stream);

/// The same for a vector: every entry with standard deviation `noise.diagonal`.
Vector add_vector_noise(const Vector& values, const SymmetricNoise& noise, RandomStream& stream);

}  // namespace eigenveil
