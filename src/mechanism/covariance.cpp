#include "eigenveil/mechanism/covariance.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "eigenveil/core/symmetric_eigen.hpp"

namespace eigenveil {

Vector column_scales(const RowBound& bound, Units units) {
  Vector scales = Vector::Ones(static_cast<Eigen::Index>(bound.dimension()));
  if (units == Units::Original) {
    for (Eigen::Index j = 0; j < scales.size(); ++j) {
      scales[j] = bound.half_width(static_cast<std::size_t>(j));
    }
  }
  return scales;
}

double noise_floor(const Vector& column_scales, double off_diagonal_sd, double count) {
  return 2.0 * off_diagonal_sd * column_scales.maxCoeff() * column_scales.norm() / count;
}

namespace {

Vector scaled_mean(const NoisyMoment& moment, Center center, double count) {
  if (center == Center::PrivateMean) {
    assert(moment.sums && "a private mean needs the full extension");
    return *moment.sums / count;
  }
  return Vector::Zero(moment.products.rows());
}

Vector midpoints(const RowBound& bound) {
  Vector values(static_cast<Eigen::Index>(bound.dimension()));
  for (Eigen::Index j = 0; j < values.size(); ++j) {
    values[j] = bound.midpoint(static_cast<std::size_t>(j));
  }
  return values;
}

/// raw = D (products / count - m mᵀ) D, where the products lie.
Matrix centred_and_scaled(Matrix products, double count, const Vector& mean, const Vector& scales) {
  for (Eigen::Index j = 0; j < products.cols(); ++j) {
    auto column = products.col(j);
    column = (column / count - mean * mean[j]).cwiseProduct(scales) * scales[j];
  }
  return products;
}

/// Frobenius-nearest positive semidefinite matrix: drop the negative eigenvalues.
Matrix positive_part(const SymmetricEigen& eigen) {
  const Eigen::Index kept = (eigen.values.array() > 0.0).count();
  const auto vectors = eigen.vectors.leftCols(kept);
  const Matrix half = vectors * eigen.values.head(kept).cwiseSqrt().asDiagonal();
  Matrix psd = Matrix::Zero(eigen.vectors.rows(), eigen.vectors.rows());
  psd.selfadjointView<Eigen::Upper>().rankUpdate(half);
  psd.triangularView<Eigen::StrictlyLower>() = psd.transpose();
  return psd;
}

}  // namespace

NoisyCovariance raw_covariance(NoisyMoment moment, Center center, Units units) {
  NoisyCovariance result;
  result.count = std::max(moment.count, 1.0);
  const Vector scales = column_scales(moment.bound, units);
  const Vector mean = scaled_mean(moment, center, result.count);
  result.raw = centred_and_scaled(std::move(moment.products), result.count, mean, scales);
  result.mean =
      units == Units::Scaled ? mean : Vector(midpoints(moment.bound) + scales.cwiseProduct(mean));
  // The noise d of the mean m adds m dᵀ + d mᵀ, of spectral norm about 2 |m| |d|.
  const double of_mean =
      2.0 * scales.cwiseProduct(mean).norm() * scales.norm() * moment.sum_sd / result.count;
  result.noise_floor =
      std::hypot(noise_floor(scales, moment.off_diagonal_sd, result.count), of_mean);
  result.scales = scales;
  result.diagonal_sd = moment.product_sd / result.count;
  result.off_diagonal_sd = moment.off_diagonal_sd / result.count;
  return result;
}

NoisyCovariance covariance_of(NoisyMoment moment, Center center, Units units) {
  NoisyCovariance result = raw_covariance(std::move(moment), center, units);
  SymmetricEigen eigen = symmetric_eigen(result.raw);
  result.psd = positive_part(eigen);
  result.eigenvalues = std::move(eigen.values);
  result.eigenvectors = std::move(eigen.vectors);
  return result;
}

}  // namespace eigenveil
