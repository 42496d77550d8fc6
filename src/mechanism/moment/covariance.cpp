#include "mechanism/moment/covariance.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "core/symmetric_eigen.hpp"

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

NoiseReach planned_reach(const MomentPlan& plan, const RowBound& bound, Units units, double count,
                         AssumedMean mean) {
  const Vector scales = column_scales(bound, units);
  double mean_norm = 0.0;
  if (mean == AssumedMean::AtBound) {
    // |D m| <= max(d) R, and <= |d| where ranges keep every |m_j| below 1.
    const double by_radius = scales.maxCoeff() * bound.radius();
    mean_norm = bound.has_ranges() ? std::min(by_radius, scales.norm()) : by_radius;
  }
  return noise_reach(
      {scales, plan.off_diagonal_sd(), plan.sum_sd(), plan.count_sd(),
       shared_sd(plan.noise().law, plan.product_sd(), plan.off_diagonal_sd()), plan.noise().law},
      mean_norm, count);
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

/// v_j = P_jj / n - m_j^2 moves with its own entry, with the sum (2 m_j) and with the count
/// (m_j^2 - v_j), whose noises are uncorrelated.
Vector variance_deviations(const NoisyCovariance& covariance, double count_sd) {
  const auto m2 = covariance.scaled_mean.array().square();
  const auto scale2 = covariance.scales.array().square();
  const auto variance = covariance.raw.diagonal().array() / scale2;
  return (scale2 * (covariance.diagonal_sd * covariance.diagonal_sd +
                    4.0 * m2 * covariance.sum_sd * covariance.sum_sd +
                    (m2 - variance).square() * (count_sd * count_sd))
                       .sqrt())
      .matrix();
}

}  // namespace

Matrix positive_part(const Vector& eigenvalues, const Matrix& eigenvectors) {
  const Eigen::Index kept = (eigenvalues.array() > 0.0).count();
  const Matrix half = eigenvectors.leftCols(kept) * eigenvalues.head(kept).cwiseSqrt().asDiagonal();
  Matrix psd = Matrix::Zero(eigenvectors.rows(), eigenvectors.rows());
  psd.selfadjointView<Eigen::Upper>().rankUpdate(half);
  psd.triangularView<Eigen::StrictlyLower>() = psd.transpose();
  return psd;
}

Repair repair_of(const NoisyCovariance& covariance) {
  const auto below = covariance.eigenvalues.array().min(0.0);
  return {
      (below < 0.0).count(), 0.0 - below.sum(),
      covariance.raw.size() > 0 ? (covariance.psd - covariance.raw).cwiseAbs().maxCoeff() : 0.0};
}

NoisyCovariance raw_covariance(NoisyMoment moment, Center center, Units units) {
  NoisyCovariance result;
  result.count = std::max(moment.count, 1.0);
  const Vector scales = column_scales(moment.bound, units);
  const Vector mean = scaled_mean(moment, center, result.count);
  result.raw = centred_and_scaled(std::move(moment.products), result.count, mean, scales);
  result.mean =
      units == Units::Scaled ? mean : Vector(midpoints(moment.bound) + scales.cwiseProduct(mean));
  const double count_sd = moment.count_is_public ? 0.0 : moment.count_sd;
  const double sum_sd = center == Center::PrivateMean ? moment.sum_sd : 0.0;
  result.noise = {scales,
                  moment.off_diagonal_sd,
                  sum_sd,
                  count_sd,
                  shared_sd(moment.law, moment.product_sd, moment.off_diagonal_sd),
                  moment.law};
  result.reach = noise_reach(result.noise, scales.cwiseProduct(mean).norm(), result.count);
  result.scales = scales;
  result.diagonal_sd = moment.product_sd / result.count;
  result.off_diagonal_sd = moment.off_diagonal_sd / result.count;
  result.sum_sd = sum_sd / result.count;
  result.scaled_mean = mean;
  result.variance_sd = variance_deviations(result, count_sd / result.count);
  return result;
}

NoisyCovariance covariance_of(NoisyMoment moment, Center center, Units units) {
  NoisyCovariance result = raw_covariance(std::move(moment), center, units);
  SymmetricEigen eigen = symmetric_eigen(result.raw);
  result.psd = positive_part(eigen.values, eigen.vectors);
  result.eigenvalues = std::move(eigen.values);
  result.eigenvectors = std::move(eigen.vectors);
  return result;
}

}  // namespace eigenveil
