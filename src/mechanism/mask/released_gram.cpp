#include "mechanism/mask/released_gram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechanism/moment/correlation.hpp"

namespace eigenveil {
namespace {

/// How far the number of rows must stand above the noise on the square of the constant.
constexpr double kCountDeviations = 4.0;

/// Variance of z_i'z_j when columns z with products `gram` carry noise of covariance `noise` per
/// row: a_i G_jj + a_j G_ii + 2 c_ij G_ij + n (a_i a_j + c_ij^2).
Matrix product_variance(const Matrix& gram, const Matrix& noise, double rows) {
  const Eigen::Index p = gram.rows();
  Matrix variance(p, p);
  for (Eigen::Index i = 0; i < p; ++i) {
    for (Eigen::Index j = 0; j < p; ++j) {
      const double c = noise(i, j);
      variance(i, j) = noise(i, i) * std::max(0.0, gram(j, j)) +
                       noise(j, j) * std::max(0.0, gram(i, i)) + 2.0 * c * gram(i, j) +
                       rows * (noise(i, i) * noise(j, j) + c * c);
    }
  }
  return variance.cwiseMax(0.0);
}

/// Of a matrix over all columns, the part without the intercept.
Matrix without_first(const Matrix& matrix) {
  return matrix.bottomRightCorner(matrix.rows() - 1, matrix.cols() - 1);
}

Vector without_first(const Vector& vector) {
  return vector.tail(vector.size() - 1);
}

/// Of the entries of Σ (x - mean)(x - mean)' - n C, n the noisy count E_00 belongs to:
/// E_ij - m_i E_0j - m_j E_0i + (m_i m_j - C_ij) E_00.
Matrix centered_entry_variance(const ReleasedGram& gram, const MomentEstimate& estimate) {
  const Matrix square = gram.entry_sd.cwiseAbs2();
  const Vector to_origin = without_first(Vector(square.col(0)));
  Matrix variance = without_first(square);
  const Vector& m = estimate.mean;
  const Vector m2 = m.cwiseAbs2();
  for (Eigen::Index i = 0; i < variance.rows(); ++i) {
    for (Eigen::Index j = 0; j < variance.cols(); ++j) {
      variance(i, j) +=
          i == j ? 4.0 * m2[i] * to_origin[i] : m2[i] * to_origin[j] + m2[j] * to_origin[i];
      const double of_count = m[i] * m[j] - estimate.value(i, j);
      variance(i, j) += of_count * of_count * square(0, 0);
    }
  }
  return variance;
}

}  // namespace

Matrix ReleasedGram::corrected() const {
  Matrix gram = products;
  if (masked()) {
    gram.diagonal() -= rows * cell_sd.cwiseAbs2();
  }
  return gram;
}

double direction_variance(const ReleasedGram& gram, const Vector& direction) {
  const Vector v2 = direction.cwiseAbs2();
  if (gram.masked()) {
    const double a = v2.dot(gram.cell_sd.cwiseAbs2());
    const double signal = direction.dot(gram.corrected() * direction);
    return 4.0 * a * std::max(0.0, signal) + 2.0 * gram.rows * a * a;
  }
  const Matrix square = gram.entry_sd.cwiseAbs2();
  return 2.0 * v2.dot(square * v2) - square.diagonal().dot(v2.cwiseAbs2());
}

MomentEstimate second_moment(const ReleasedGram& gram) {
  MomentEstimate estimate;
  estimate.names = gram.names;
  const Matrix corrected = gram.corrected();
  estimate.value = corrected / gram.rows;
  const Matrix variance =
      gram.masked() ? product_variance(corrected, gram.cell_sd.cwiseAbs2().asDiagonal(), gram.rows)
                    : Matrix(gram.entry_sd.cwiseAbs2());
  estimate.standard_error = variance.cwiseSqrt() / gram.rows;
  return estimate;
}

Result<MomentEstimate> covariance(const ReleasedGram& gram) {
  if (!gram.intercept) {
    return bad_request(
        "a covariance needs the means, and this release has no intercept column: mask again with "
        "{intercept}, or ask for the second moment");
  }
  const Vector constant_alone = Vector::Unit(gram.products.rows(), 0);
  if (!(gram.rows > kCountDeviations * std::sqrt(direction_variance(gram, constant_alone)))) {
    return bad_request(
        "the noise on the column of ones is as large as the number of rows, so means and "
        "covariances would be noise: ask for the second moment, or mask again with a smaller "
        "{row_norm}, more rows or more budget");
  }
  const Matrix corrected = gram.corrected();
  MomentEstimate estimate;
  estimate.names = gram.names;
  estimate.names.erase(estimate.names.begin());
  const Vector sums = without_first(Vector(corrected.col(0)));
  estimate.mean = sums / gram.rows;
  // The released square of the constant, not its known value n: its noise is that of the same cells
  // as the noise of the sums, and cancels against it.
  const double constant = 2.0 * gram.rows - corrected(0, 0);
  const Matrix about_mean =
      without_first(corrected) - constant * estimate.mean * estimate.mean.transpose();
  estimate.value = about_mean / gram.rows;
  Matrix variance;
  if (gram.masked()) {
    const Vector cells = gram.cell_sd.cwiseAbs2();
    // Noise of x_i - m_i 1 per row.
    Matrix noise = cells[0] * estimate.mean * estimate.mean.transpose();
    noise.diagonal() += without_first(cells);
    variance = product_variance(about_mean, noise, gram.rows);
  } else {
    variance = centered_entry_variance(gram, estimate);
  }
  estimate.standard_error = variance.cwiseSqrt() / gram.rows;
  // Sums have noise of their own, and so has the count they are divided by where it is not public.
  const Vector of_sums = without_first(Vector(second_moment(gram).standard_error.col(0)));
  const double of_count = gram.masked() ? 0.0 : gram.entry_sd(0, 0) / gram.rows;
  estimate.mean_standard_error =
      (of_sums.cwiseAbs2() + of_count * of_count * estimate.mean.cwiseAbs2()).cwiseSqrt();
  return estimate;
}

CorrelationEstimate correlation(const MomentEstimate& covariance) {
  const Vector variance = covariance.value.diagonal();
  Vector inverse = Vector::Constant(variance.size(), std::numeric_limits<double>::quiet_NaN());
  for (const Eigen::Index j :
       columns_with_variance(variance, covariance.standard_error.diagonal())) {
    inverse[j] = 1.0 / std::sqrt(variance[j]);
  }
  CorrelationEstimate estimate;
  estimate.value = inverse.asDiagonal() * covariance.value * inverse.asDiagonal();
  for (double& value : estimate.value.reshaped()) {
    value = std::isnan(value) ? value : std::clamp(value, -1.0, 1.0);
  }
  for (Eigen::Index j = 0; j < inverse.size(); ++j) {
    if (std::isnan(inverse[j])) {
      estimate.left_out.push_back(covariance.names[static_cast<std::size_t>(j)]);
    }
  }
  return estimate;
}

}  // namespace eigenveil
