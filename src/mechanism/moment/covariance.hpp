#pragma once

#include <optional>

#include "eigenveil/core/matrix.hpp"
#include "mechanism/moment/moment_plan.hpp"
#include "mechanism/moment/noise_reach.hpp"
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
  EntryNoise noise;  ///< on the sums, in scaled units
  NoiseReach reach;  ///< at the released count and mean
  Vector scales;     ///< d, from scaled units to the units asked for
  /// Standard deviation of the noise on entries, in scaled units, where the mean is the midpoint.
  double diagonal_sd = 0.0;
  double off_diagonal_sd = 0.0;
  double sum_sd = 0.0;   ///< on entries of the mean, scaled units
  Matrix entry_sd = {};  ///< where entries have deviations of their own, in units of `raw`
  Vector scaled_mean;    ///< in scaled units; zero where the centre is public
  Vector variance_sd;    ///< noise on each variance of `raw`, in its units, with the mean's
  Vector eigenvalues;    ///< of `raw`, largest first
  Matrix eigenvectors;   ///< of `raw` and of `psd`
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

/// Where the mean is assumed to lie before it is released: at the public centre, or as far from it
/// as the bound allows.
enum class AssumedMean : std::uint8_t { AtCentre, AtBound };

/// The reach of the noise in a release with `count` rows and such a mean, for the columns of
/// `bound`: those of the plan, or the first of them. AtBound: no release has a larger one.
NoiseReach planned_reach(const MomentPlan& plan, const RowBound& bound, Units units, double count,
                         AssumedMean mean = AssumedMean::AtCentre);

/// Column scales d: half widths of the public ranges for original units, ones for scaled units.
Vector column_scales(const RowBound& bound, Units units);

}  // namespace eigenveil
