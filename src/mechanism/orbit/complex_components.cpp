#include "mechanism/orbit/complex_components.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "core/hermitian_eigen.hpp"

namespace eigenveil {
namespace {

using Index = Eigen::Index;

/// The complex frame that `paired` stands for: its even columns.
ComplexMatrix unpaired(const Matrix& paired) {
  ComplexMatrix frame(paired.rows() / 2, paired.cols() / 2);
  for (Index column = 0; column < frame.cols(); ++column) {
    for (Index row = 0; row < frame.rows(); ++row) {
      frame(row, column) = {paired(2 * row, 2 * column), paired(2 * row + 1, 2 * column)};
    }
  }
  return frame;
}

ComplexMatrix hermitian_products(const Matrix& w) {
  ComplexMatrix products(w.rows() / 2, w.cols() / 2);
  for (Index i = 0; i < products.rows(); ++i) {
    for (Index j = 0; j < products.cols(); ++j) {
      products(i, j) = {w(2 * i, 2 * j) + w(2 * i + 1, 2 * j + 1),
                        w(2 * i + 1, 2 * j) - w(2 * i, 2 * j + 1)};
    }
  }
  return products;
}

/// A vector's phase is arbitrary: its entry of largest modulus is made real and positive.
void fix_phases(ComplexMatrix& loadings) {
  for (Index column = 0; column < loadings.cols(); ++column) {
    Index largest = 0;
    loadings.col(column).cwiseAbs().maxCoeff(&largest);
    const std::complex<double> entry = loadings(largest, column);
    if (std::abs(entry) > 0.0) {
      loadings.col(column) *= std::conj(entry) / std::abs(entry);
    }
  }
}

}  // namespace

Matrix paired_frame(const ComplexMatrix& frame) {
  Matrix paired(2 * frame.rows(), 2 * frame.cols());
  for (Index column = 0; column < frame.cols(); ++column) {
    for (Index row = 0; row < frame.rows(); ++row) {
      const std::complex<double> u = frame(row, column);
      paired(2 * row, 2 * column) = paired(2 * row + 1, 2 * column + 1) = u.real();
      paired(2 * row + 1, 2 * column) = u.imag();
      paired(2 * row, 2 * column + 1) = -u.imag();
    }
  }
  return paired;
}

ComplexComponents complex_components(const Matrix& paired, const NoisyProjection& projection) {
  const double count = std::max(projection.count, 1.0);
  const HermitianEigen eigen = hermitian_eigen(hermitian_products(projection.products) / count);
  ComplexComponents result;
  result.loadings = unpaired(paired) * eigen.vectors;
  fix_phases(result.loadings);
  result.explained_variance = eigen.values.cwiseMax(0.0);
  // Real and imaginary part of an entry are sums of two noises: E|entry|² = 4 sd².
  const EntryNoise noise{.scales = Vector::Ones(result.loadings.cols()),
                         .product = 2.0 * projection.off_diagonal_sd,
                         .law = projection.law};
  result.noise_floor = noise_reach(noise, 0.0, count).floor;
  return result;
}

}  // namespace eigenveil
