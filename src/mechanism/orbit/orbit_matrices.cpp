#include "mechanism/orbit/orbit_matrices.hpp"

#include "core/symmetric_eigen.hpp"

namespace eigenveil {

Matrix real_part(const OrbitDraw& draw) {
  return draw.spectrum.size() == draw.matrix.rows() ? Matrix(draw.matrix.real())
                                                    : real_truncation(draw, draw.spectrum.size());
}

Matrix real_with_spectrum(const OrbitDraw& draw) {
  const Matrix vectors = largest_eigenpairs(draw.matrix.real(), draw.spectrum.size()).vectors;
  const Matrix half = vectors * draw.spectrum.cwiseSqrt().asDiagonal();
  return half * half.transpose();
}

}  // namespace eigenveil
