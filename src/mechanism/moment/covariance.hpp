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

/// A covariance made from released moments: post-processing, no further loss.
struct NoisyCovariance {
  Matrix raw;   ///< noisy, unbiased but perhaps indefinite
  Matrix psd;   ///< nearest positive semidefinite matrix in Frobenius norm
  Vector mean;  ///< released mean, or the public centre, in the units asked for
  double count = 0.0;
  double noise_floor = 0.0;  ///< noise_floor below, at the released count and mean
  Vector scales;             ///< d, from scaled units to the units asked for
  /// Standard deviation of the noise on entries, in scaled units, where the mean is the midpoint.
  double diagonal_sd = 0.0;
  double off_diagonal_sd = 0.0;
  double sum_sd = 0.0;           ///< on entries of the mean, scaled units
  Matrix entry_sd = {};          ///< where entries have deviations of their own, in units of `raw`
  Vector scaled_mean;            ///< in scaled units; zero where the centre is public
  Vector variance_sd;            ///< noise on each variance of `raw`, in its units, with the mean's
  double spectral_factor = 1.0;  ///< of the noise (noisy_moment.hpp)
  Vector eigenvalues;            ///< of `raw`, largest first
  Matrix eigenvectors;           ///< of `raw` and of `psd`
};

/// Divides by the released row count (at least 1: a noisy count may be negative), subtracts the
/// mean when asked, and converts units.
NoisyCovariance covariance_of(NoisyMoment moment, Center center, Units units);

/// The same without `psd` and the eigenpairs, in the memory of the moment's products.
NoisyCovariance raw_covariance(NoisyMoment moment, Center center, Units units);

/// How far the projection to `psd` moved the matrix.
struct Repair {
  std::int64_t dropped = 0;     ///< negative eigenvalues
  double added_trace = 0.0;     ///< what their loss adds to the total variance
  double largest_change = 0.0;  ///< of an entry
};
Repair repair_of(const NoisyCovariance& covariance);

/// Frobenius-nearest positive semidefinite matrix: drops the negative eigenvalues.
Matrix positive_part(const Vector& eigenvalues, const Matrix& eigenvectors);

/// Standard deviations of the noise in released sums, in scaled units.
struct SumNoise {
  double off_diagonal = 0.0;     ///< on a sum of products
  double column = 0.0;           ///< on a column sum; 0 where the centre is public
  double spectral_factor = 1.0;  ///< of the law (noisy_moment.hpp)
};

/// The noise floor, one definition for plan, release, report and Python: the spectral norm of the
/// noise, about, so the largest variance that noise alone would show in a table of zeros. Symmetric
/// noise whose entry (i, j) has standard deviation d_i d_j s gives, after division by `count`,
/// 2 s max(d) |d| (Bandeira, van Handel 2016), sqrt(2 p) sigma / n for equal units, for independent
/// entries, and spectral_factor times that otherwise. A private mean
/// m (of norm `mean_norm` in the units of d) with noise e adds m e' + e m', of norm about 2 |m|
/// |e|.
double noise_floor(const Vector& column_scales, const SumNoise& noise, double mean_norm,
                   double count);

/// Where the mean is assumed to lie before it is released: at the public centre, or as far from it
/// as the bound allows.
enum class AssumedMean : std::uint8_t { AtCentre, AtBound };

/// The floor of a release with `count` rows and such a mean, for the columns of `bound`: those of
/// the plan, or the first of them. AtBound: no release has a larger one.
double planned_noise_floor(const MomentPlan& plan, const RowBound& bound, Units units, double count,
                           AssumedMean mean = AssumedMean::AtCentre);

/// Column scales d: half widths of the public ranges for original units, ones for scaled units.
Vector column_scales(const RowBound& bound, Units units);

}  // namespace eigenveil
