#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mechanism/mask/released_gram.hpp"
#include "mechanism/moment/counted_moment.hpp"
#include "mechanism/moment/covariance.hpp"
#include "mechanism/pairwise/estimated.hpp"

namespace eigenveil {

/// The released Gram matrix of (1, m, m x): for every pair of columns the count, the sums and the
/// products over the rows that have both, each with noise of known deviation. All that follows is
/// post-processing. Proof: docs/proofs/pairwise.md.
struct PairwiseGram {
  std::vector<std::string> names;  ///< of the columns x
  Eigen::Index indicators = 1;     ///< entries of (1, m)
  /// Of every column, its place in (1, m); 0 where it counts as always present.
  std::vector<Eigen::Index> indicator;
  Matrix sums;            ///< about the public midpoints, in the units of the release
  Matrix entry_sd;        ///< of the noise on each of its entries
  Vector midpoints = {};  ///< back to original units; empty: the release is in other units
  double longest_row = 0.0;

  double rows() const { return sums(0, 0); }
  Eigen::Index columns() const { return static_cast<Eigen::Index>(names.size()); }

  Estimated count(Eigen::Index i, Eigen::Index j) const;
  /// Of column i over the rows that have i and j.
  Estimated sum(Eigen::Index i, Eigen::Index j) const;
  /// The public rule: the rows that have both must stand above the noise on their number.
  bool has_pair(Eigen::Index i, Eigen::Index j) const;
  /// S_xy / N - S_x S_y / N^2 over the rows that have both; only where has_pair.
  Estimated covariance(Eigen::Index i, Eigen::Index j) const;
  Estimated mean(Eigen::Index i) const;
};

/// Of a released Gram matrix of rows r (c, e r^2, c m, x).
PairwiseGram pairwise_gram(const NoisyMoment& extended, const CountedColumns& columns, Units units);

/// As it was published: the sums of (1, m, x) with the public numbers that say their noise.
struct PublishedPairwise {
  std::vector<std::string> names;
  std::vector<std::string> indicated;
  Matrix sums;
  double constant = 0.0;         ///< c
  double diagonal_sd = 0.0;      ///< on sums of squares, scaled units
  double off_diagonal_sd = 0.0;  ///< on sums of products
  Vector scales;                 ///< from scaled units to those of the release
};
Result<PairwiseGram> pairwise_gram(const PublishedPairwise& published);

/// Entries that the rule refuses are not numbers, and so are their standard errors.
MomentEstimate covariance(const PairwiseGram& gram);

/// With standard errors; for columns whose variance passes the public rule of correlations.
CorrelationEstimate correlation(const PairwiseGram& gram, const MomentEstimate& covariance);

/// A released Gram matrix with means and noise on its entries is one in which no cell is missing.
std::optional<PairwiseGram> as_pairwise(const ReleasedGram& gram);

/// Least squares from pairwise covariances, about their means: C_xx^-1 C_xy. Intervals cover what
/// the available cases of the raw rows would have given.
Result<Regression> regress(const PairwiseGram& gram, const RegressionRequest& request);

/// Eigenpairs of the covariance where refused entries count as 0; limits are approximate.
Result<ComponentEstimate> components_of(const PairwiseGram& gram, const MomentEstimate& covariance,
                                        Eigen::Index count);

/// The covariance as a release publishes it. Refused entries are 0, and listed; a column whose own
/// variance is refused has a row of zeros.
struct PairwiseCovariance {
  NoisyCovariance covariance;
  std::vector<std::string> refused = {};  ///< "a", or "a, b" for a pair
};
PairwiseCovariance noisy_covariance(const PairwiseGram& gram, const Vector& scales, NoiseLaw law);

}  // namespace eigenveil
