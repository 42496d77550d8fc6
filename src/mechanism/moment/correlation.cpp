#include "mechanism/moment/correlation.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/symmetric_eigen.hpp"

namespace eigenveil {
namespace {

/// D^-1 C D^-1 of the columns that have a deviation.
Matrix divided(const Matrix& covariance, const std::vector<Eigen::Index>& columns,
               const Vector& deviations) {
  const auto kept = static_cast<Eigen::Index>(columns.size());
  Matrix values(kept, kept);
  for (Eigen::Index j = 0; j < kept; ++j) {
    const Eigen::Index column = columns[static_cast<std::size_t>(j)];
    for (Eigen::Index i = 0; i < kept; ++i) {
      const Eigen::Index row = columns[static_cast<std::size_t>(i)];
      values(i, j) =
          std::clamp(covariance(row, column) / (deviations[row] * deviations[column]), -1.0, 1.0);
    }
    values(j, j) = 1.0;
  }
  return values;
}

}  // namespace

NoiseReach rescaled_reach(const NoisyCovariance& covariance, const Vector& factors) {
  if (covariance.entry_sd.size() > 0) {
    return noise_reach(factors.asDiagonal() * covariance.entry_sd * factors.asDiagonal(),
                       covariance.noise.law);
  }
  EntryNoise noise = covariance.noise;
  noise.scales = noise.scales.cwiseProduct(factors);
  return noise_reach(noise, noise.scales.cwiseProduct(covariance.scaled_mean).norm(),
                     covariance.count);
}

ScaledDirections scaled_directions(const NoisyCovariance& covariance) {
  const Vector factors = covariance.scales.cwiseInverse();
  return {
      leading_eigenvectors(factors.asDiagonal() * covariance.raw * factors.asDiagonal(), 0).values,
      rescaled_reach(covariance, factors)};
}

std::vector<Eigen::Index> columns_with_variance(const Vector& variance, const Vector& variance_sd) {
  std::vector<Eigen::Index> passing;
  for (Eigen::Index j = 0; j < variance.size(); ++j) {
    if (variance[j] > 0.0 && variance[j] > kVarianceDeviations * variance_sd[j]) {
      passing.push_back(j);
    }
  }
  return passing;
}

NoisyCorrelation correlation_of(NoisyCovariance covariance) {
  NoisyCorrelation result;
  const Vector variance = covariance.raw.diagonal();
  result.columns = columns_with_variance(variance, covariance.variance_sd);
  result.deviations = Vector::Constant(variance.size(), std::numeric_limits<double>::quiet_NaN());
  for (const Eigen::Index j : result.columns) {
    result.deviations[j] = std::sqrt(variance[j]);
  }
  NoisyCovariance& unit = result.standardised;
  unit.raw = divided(covariance.raw, result.columns, result.deviations);
  unit.count = covariance.count;
  unit.diagonal_sd = covariance.diagonal_sd;
  unit.off_diagonal_sd = covariance.off_diagonal_sd;
  const auto kept = static_cast<Eigen::Index>(result.columns.size());
  unit.scales.resize(kept);
  unit.mean.resize(kept);
  for (Eigen::Index i = 0; i < kept; ++i) {
    const Eigen::Index j = result.columns[static_cast<std::size_t>(i)];
    unit.scales[i] = covariance.scales[j] / result.deviations[j];
    unit.mean[i] = covariance.scaled_mean[j];
  }
  unit.scaled_mean = unit.mean;
  if (kept > 0) {
    Vector factors = Vector::Zero(variance.size());
    for (const Eigen::Index j : result.columns) {
      factors[j] = 1.0 / result.deviations[j];
    }
    unit.reach = rescaled_reach(covariance, factors);
  }
  return result;
}

PrincipalComponents correlation_components(NoisyCorrelation correlation, Eigen::Index count) {
  const Eigen::Index p = correlation.deviations.size();
  const auto kept = static_cast<Eigen::Index>(correlation.columns.size());
  const Eigen::Index found = std::min(kept, count);
  PrincipalComponents all;
  all.loadings = Matrix::Zero(p, count);
  all.explained_variance = Vector::Zero(count);
  all.explained_share = Vector::Zero(count);
  all.noise_edge = Vector::Ones(count);  // a column's own variance: nothing to tell
  all.total_variance = static_cast<double>(kept);
  all.noise_floor = correlation.standardised.reach.floor;
  if (found > 0) {
    const PrincipalComponents own =
        principal_components(std::move(correlation.standardised), found);
    for (Eigen::Index i = 0; i < kept; ++i) {
      all.loadings.row(correlation.columns[static_cast<std::size_t>(i)]).head(found) =
          own.loadings.row(i);
    }
    all.explained_variance.head(found) = own.explained_variance;
    all.explained_share.head(found) = own.explained_share;
    all.noise_edge.head(found) = own.noise_edge;
  }
  Eigen::Index next = found;
  for (Eigen::Index j = 0; j < p && next < count; ++j) {
    if (std::isnan(correlation.deviations[j])) {
      all.loadings(j, next++) = 1.0;
    }
  }
  return all;
}

}  // namespace eigenveil
