#include "eigenveil/mechanism/released_gram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "eigenveil/core/symmetric_eigen.hpp"

namespace eigenveil {
namespace {

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

Matrix without(const Matrix& matrix, Eigen::Index index) {
  std::vector<Eigen::Index> kept;
  for (Eigen::Index j = 0; j < matrix.rows(); ++j) {
    if (j != index) {
      kept.push_back(j);
    }
  }
  return matrix(kept, kept);
}

Vector without(const Vector& vector, Eigen::Index index) {
  Vector rest(vector.size() - 1);
  rest.head(index) = vector.head(index);
  rest.tail(rest.size() - index) = vector.tail(rest.size() - index);
  return rest;
}

/// Of the entries of Σ (x - mean)(x - mean)': E_ij - m_i E_0j - m_j E_0i + m_i m_j E_00.
Matrix centered_entry_variance(const ReleasedGram& gram, Eigen::Index origin, const Vector& mean) {
  const Matrix square = gram.entry_sd.cwiseAbs2();
  const Vector to_origin = without(Vector(square.col(origin)), origin);
  Matrix variance = without(square, origin);
  const Vector m2 = mean.cwiseAbs2();
  for (Eigen::Index i = 0; i < variance.rows(); ++i) {
    for (Eigen::Index j = 0; j < variance.cols(); ++j) {
      variance(i, j) +=
          i == j ? 4.0 * m2[i] * to_origin[i] : m2[i] * to_origin[j] + m2[j] * to_origin[i];
      variance(i, j) += m2[i] * m2[j] * square(origin, origin);
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
  const auto found = std::find(gram.names.begin(), gram.names.end(), kInterceptColumn);
  if (found == gram.names.end()) {
    return bad_request(
        "a covariance needs the means, and this release has no intercept column: mask again with "
        "--intercept, or ask for the second moment");
  }
  const Eigen::Index origin = found - gram.names.begin();
  const Matrix corrected = gram.corrected();
  MomentEstimate estimate;
  estimate.names = gram.names;
  estimate.names.erase(estimate.names.begin() + origin);
  const Vector sums = without(Vector(corrected.col(origin)), origin);
  estimate.mean = sums / gram.rows;
  const Matrix about_mean =
      without(corrected, origin) - gram.rows * estimate.mean * estimate.mean.transpose();
  estimate.value = about_mean / gram.rows;
  Matrix variance;
  if (gram.masked()) {
    const Vector cells = gram.cell_sd.cwiseAbs2();
    // Noise of x_i - m_i 1 per row.
    Matrix noise = cells[origin] * estimate.mean * estimate.mean.transpose();
    noise.diagonal() += without(cells, origin);
    variance = product_variance(about_mean, noise, gram.rows);
  } else {
    variance = centered_entry_variance(gram, origin, estimate.mean);
  }
  estimate.standard_error = variance.cwiseSqrt() / gram.rows;
  return estimate;
}

Result<Matrix> correlation(const MomentEstimate& covariance) {
  const Vector variance = covariance.value.diagonal();
  for (Eigen::Index j = 0; j < variance.size(); ++j) {
    if (!(variance[j] > 2.0 * covariance.standard_error(j, j))) {
      return bad_request(fmt::format(
          "the noise leaves no variance of '{}' to divide by; a correlation would be noise",
          covariance.names[static_cast<std::size_t>(j)]));
    }
  }
  const Vector inverse = variance.cwiseSqrt().cwiseInverse();
  return Matrix((inverse.asDiagonal() * covariance.value * inverse.asDiagonal())
                    .cwiseMax(-1.0)
                    .cwiseMin(1.0));
}

ComponentEstimate components_of(const MomentEstimate& moment, Eigen::Index count) {
  SymmetricEigen eigen = symmetric_eigen(moment.value);
  ComponentEstimate result;
  const Eigen::Index kept = std::min(count, eigen.values.size());
  result.variance = eigen.values.head(kept);
  result.loadings = eigen.vectors.leftCols(kept);
  result.standard_error = Vector(kept);
  const Matrix square = moment.standard_error.cwiseAbs2();
  for (Eigen::Index k = 0; k < kept; ++k) {
    auto loading = result.loadings.col(k);
    Eigen::Index largest = 0;
    loading.cwiseAbs().maxCoeff(&largest);
    if (loading[largest] < 0.0) {
      loading *= -1.0;
    }
    // v'Ev = sum_i v_i^2 E_ii + 2 sum_{i<j} v_i v_j E_ij
    const Vector v2 = loading.cwiseAbs2();
    const Vector own = square.diagonal().cwiseProduct(v2.cwiseAbs2());
    result.standard_error[k] = std::sqrt(std::max(0.0, 2.0 * v2.dot(square * v2) - own.sum()));
  }
  return result;
}

}  // namespace eigenveil
