#pragma once

#include <vector>

#include "mechanism/moment/principal_components.hpp"

namespace eigenveil {

/// A released variance stands for that of its column where it is above so many standard deviations
/// of its own noise: the public rule that correlations leave columns out by. A column that is
/// noise alone passes with probability 0.0013.
inline constexpr double kVarianceDeviations = 3.0;

/// Of a covariance whose columns are multiplied by `factors` (0: left out), which are public or
/// released numbers.
NoiseReach rescaled_reach(const NoisyCovariance& covariance, const Vector& factors);

/// Directions judged where every column is divided by its scale, half its public range: there all
/// entries have noise of one size, so a column in large units does not hide the others.
struct ScaledDirections {
  Vector eigenvalues;  ///< largest first
  NoiseReach reach;
};
ScaledDirections scaled_directions(const NoisyCovariance& covariance);

/// The columns that pass, in their order.
std::vector<Eigen::Index> columns_with_variance(const Vector& variance, const Vector& variance_sd);

/// A covariance whose columns are divided by the square roots of their released variances. It looks
/// at released numbers alone: post-processing, which costs nothing and cannot fail.
struct NoisyCorrelation {
  std::vector<Eigen::Index> columns;  ///< those with a variance
  Vector deviations;                  ///< of all columns; not a number where one was left out
  /// Of `columns` alone: ones on the diagonal, |r| <= 1, scales and floor in the same units. To
  /// first order the noise on r_ij is that on the covariance over both deviations.
  NoisyCovariance standardised;
};
NoisyCorrelation correlation_of(NoisyCovariance covariance);

/// Components of a correlation, in all columns: loadings of columns that were left out are 0. Where
/// more are asked for than columns are left, the others are left-out columns, with variance 0.
PrincipalComponents correlation_components(NoisyCorrelation correlation, Eigen::Index count);

}  // namespace eigenveil
