#pragma once

#include <optional>

#include "eigenveil/core/matrix.hpp"
#include "mechanism/moment/moment_plan.hpp"
#include "mechanism/moment/noisy_moment.hpp"

namespace eigenveil {

/// Which matrix is estimated from the released moments.
enum class Center : std::uint8_t {
  PublicMidpoint,  ///< second moment about the public midpoint (or a public centre)
  PrivateMean,     ///< covariance about the privately released mean
};

/// In which units columns are given back.
enum class Units : std::uint8_t {
  Original,  ///< as in the file
  Scaled,    ///< every column mapped from its public range to [-1, 1]
};

/// A covariance made from released moments: post-processing, no further loss.
struct NoisyCovariance {
  Matrix raw;   ///< noisy, unbiased but perhaps indefinite
  Matrix psd;   ///< nearest positive semidefinite matrix in Frobenius norm
  Vector mean;  ///< released mean, or the public centre, in the units asked for
  double count = 0.0;
  /// Spectral norm of the noise, about: how far an eigenvalue can be off, and what noise alone
  /// would show as the largest.
  double noise_floor = 0.0;
  Vector scales;  ///< d, from scaled units to the units asked for
  /// Standard deviation of the noise on entries, in scaled units, where the mean is the midpoint.
  double diagonal_sd = 0.0;
  double off_diagonal_sd = 0.0;
  Vector eigenvalues;   ///< of `raw`, largest first
  Matrix eigenvectors;  ///< of `raw` and of `psd`
};

/// Divides by the released row count (at least 1: a noisy count may be negative), subtracts the
/// mean when asked, and converts units.
NoisyCovariance covariance_of(NoisyMoment moment, Center center, Units units);

/// The same without `psd` and the eigenpairs, in the memory of the moment's products.
NoisyCovariance raw_covariance(NoisyMoment moment, Center center, Units units);

/// Standard deviations of the noise in released sums, in scaled units.
struct SumNoise {
  double off_diagonal = 0.0;  ///< on a sum of products
  double column = 0.0;        ///< on a column sum; 0 where the centre is public
};

/// Spectral norm of symmetric noise whose entry (i, j) has standard deviation d_i d_j s, after
/// division by `count`: about 2 s max(d) |d| (Bandeira, van Handel 2016), sqrt(2 p) sigma / n for
/// equal units. A private mean m (of norm `mean_norm` in the units of d) with noise e adds
/// m e' + e m', of spectral norm about 2 |m| |e|.
double noise_floor(const Vector& column_scales, const SumNoise& noise, double mean_norm,
                   double count);

/// The same before a release. The mean is not known then, so for one as long as the bound allows:
/// a release with as many rows shows no more, and as much where the mean lies there.
double planned_noise_floor(const MomentPlan& plan, Units units, double count);

/// Column scales d: half widths of the public ranges for original units, ones for scaled units.
Vector column_scales(const RowBound& bound, Units units);

}  // namespace eigenveil
