#pragma once

#include <cstdint>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/sampling/sampler.hpp"
#include "eigenveil/statistics/exact_gram.hpp"

namespace eigenveil {

/// How the columns of a table make a row of the second moment.
enum class RowField : std::uint8_t {
  Real,
  Complex,  ///< columns come in pairs: real part, then imaginary part of one coordinate
};

/// Coordinates of a row: the number of columns, or half of it.
Eigen::Index coordinates_of(std::size_t columns, RowField field);

/// M = Σ v vᴴ / R², the exact second moment in units of the public norm bound, in its eigenbasis:
/// in these units a row has norm at most 1 and adds a positive semidefinite matrix of trace at most
/// 1. Private data, for the mechanisms of this folder. For complex rows z = a + i b the exact
/// integers of the real Gram of (a, b) are combined before anything is rounded:
/// Σ z zᴴ = Σ (a aᵀ + b bᵀ) + i Σ (b aᵀ - a bᵀ), and |z|² = |(a, b)|².
class HermitianMoment {
 public:
  HermitianMoment(const ExactGram& gram, RowField field);

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
