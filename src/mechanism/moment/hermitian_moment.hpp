#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/statistics/exact_gram.hpp"
#include "sampling/sampler.hpp"

namespace eigenveil {

/// How the columns of a table make a row of the second moment.
enum class RowField : std::uint8_t {
  Real,
  Complex,  ///< columns come in pairs: real part, then imaginary part of one coordinate
};

/// Coordinates of a row: the number of columns, or half of it.
Eigen::Index coordinates_of(std::size_t columns, RowField field);

/// Complex rows whose columns are named as real or imaginary parts must have them side by side,
/// x.re before x.im of the same x; other names are taken in their order.
Result<void> check_pairs(const std::vector<std::string>& columns, RowField field);

/// M = Σ x xᴴ / R² over rows x = D v in the units of `scales`, R² their public norm bound
/// (`scaled_norm2_bound`), in its eigenbasis: a row adds a positive semidefinite matrix of trace at
/// most 1. Private data, for the mechanisms of this folder. For complex rows z = a + i b the exact
/// integers of the real Gram of (a, b) are combined before anything is rounded:
/// Σ z zᴴ = Σ (a aᵀ + b bᵀ) + i Σ (b aᵀ - a bᵀ), and |z|² = |(a, b)|².
class HermitianMoment {
 public:
  /// With complex rows all scales must be 1.
  HermitianMoment(const ExactGram& gram, const Vector& scales, RowField field);

  Eigen::Index dimension() const { return eigenvalues_.size(); }
  /// Largest first, in units of R², never negative.
  const Vector& eigenvalues() const { return eigenvalues_; }
  /// A frame given in the eigenbasis, in the coordinates of the rows.
  ComplexMatrix rotate(const ComplexMatrix& frame) const;

 private:
  Vector eigenvalues_;
  Matrix real_vectors_;            ///< of real rows
  ComplexMatrix complex_vectors_;  ///< of complex rows
};

}  // namespace eigenveil
