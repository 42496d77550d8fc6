#pragma once

#include "eigenveil/core/matrix.hpp"
#include "mechanism/moment/noisy_moment.hpp"

namespace eigenveil {

/// Noise on the entries of a Gram matrix, in scaled units: s on a product of two columns (sqrt(2) s
/// on a square), on a sum (0: the centre is public), and on the count (0: it is public).
struct EntryNoise {
  Vector scales;  ///< of the columns, to the units of the release
  double product = 0.0;
  double sum = 0.0;
  double count = 0.0;
  double shared = 0.0;  ///< on all squares alike, beside their own (docs/proofs/trace_noise.md)
  NoiseLaw law = NoiseLaw::Gaussian;
};

/// What noise shows when it is alone, in units of a variance. One definition for plan, release,
/// report, `analyse` and every face; numbers and proofs: docs/proofs/noise_limits.md.
struct NoiseReach {
  double norm = 0.0;    ///< the spectral norm of the noise, about
  double floor = 0.0;   ///< passed by the largest variance of a table of zeros in 5% of releases
  double apart = 0.0;   ///< the same without what all squares of scaled columns share
  double factor = 1.0;  ///< of the law (spectral_factor)
  double shared = 0.0;  ///< the limit of that alone, on the widest column
};

/// Of a covariance: sums over `count`, about a mean of norm `mean_norm` in the units of the
/// release.
NoiseReach noise_reach(const EntryNoise& noise, double mean_norm, double count);
/// Where entries have deviations of their own; what is no number counts as no noise.
NoiseReach noise_reach(const Matrix& entry_sd, NoiseLaw law);

/// What the noisy variance along each of the leading eigenvectors `loadings` of a noisy matrix with
/// these eigenvalues must exceed, in units that `scales` lead to: all that do have, in 19 of 20
/// releases, more exact variance along them than there is on average along those left out
/// (docs/proofs/noise_limits.md). Not for directions that were drawn or found otherwise.
Vector noise_edge(const Vector& eigenvalues, const Matrix& loadings, const Vector& scales,
                  const NoiseReach& reach);

/// The same before there is a release, for exact variances (largest first) of columns in one unit:
/// one limit for all of the components.
double predicted_edge(const Vector& spectrum, Eigen::Index components, const NoiseReach& reach);

/// Directions that stand out where nobody asked for a number of components: the most of which each
/// exceeds what it would have to in a release of so many, and that limit (with none, that of one).
struct ToldDirections {
  Eigen::Index count = 0;
  double edge = 0.0;
};
/// Of at most `most` in a release that is planned.
ToldDirections predicted_directions(const Vector& spectrum, Eigen::Index most,
                                    const NoiseReach& reach);
/// Of all but one in a released covariance: noisy eigenvalues, largest first, columns in one unit.
ToldDirections told_directions(const Vector& eigenvalues, const NoiseReach& reach);

}  // namespace eigenveil
