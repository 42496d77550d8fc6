#pragma once

#include "eigenveil/core/matrix.hpp"

namespace eigenveil {

/// Upper quantiles of the Marchenko-Pastur law (zero excluded, ratio p/n, sigma² = 1) at levels
/// k/m, for k = first..last.
Vector marchenko_pastur_quantiles(double ratio, Eigen::Index m, Eigen::Index first,
                                  Eigen::Index last);

/// sigma²^ = sum q_k lambda_k / sum q_k² over the middle half of the m = min(n, p) sample
/// eigenvalues, without the first `rank`, which are spikes; `weight_norm` is |q|: the estimate
/// moves by at most (l2 change of the eigenvalues) / |q|, by Cauchy and Schwarz. Levels count the
/// spikes too, so the quantiles are rather too small and the estimate rather too large.
struct BulkEstimate {
  Eigen::Index first = 1;  ///< 1-based
  Eigen::Index last = 1;
  Vector quantiles;
  double weight_norm = 0.0;
  double noise_variance(const Vector& eigenvalues) const;
};
BulkEstimate bulk_estimate(Eigen::Index rows, Eigen::Index dimension, Eigen::Index rank);

/// Whether the middle half holds an eigenvalue that is no spike.
bool bulk_has_window(Eigen::Index rows, Eigen::Index dimension, Eigen::Index rank);

/// sigma² of eigenvalues (largest first) whose spikes are known to be the first `rank`: those
/// behind them are, to first order, the spectrum of n - rank rows in p - rank columns.
double variance_behind(const Vector& eigenvalues, Eigen::Index rows, Eigen::Index dimension,
                       Eigen::Index rank);

/// argmax over k <= most of (l_k / l_{k+1}) for noisy eigenvalues, with `floor` below every
/// denominator and numerator.
Eigen::Index eigen_ratio_rank(const Vector& noisy_eigenvalues, Eigen::Index most, double floor);

}  // namespace eigenveil
