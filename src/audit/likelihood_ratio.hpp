#pragma once

#include <vector>

#include "mechanism/moment/noisy_moment.hpp"
#include "mechanism/moment/second_moment.hpp"

namespace eigenveil {

/// The Gram matrix of (t, x) where sums go with it, else that of x, from entries in the order of a
/// release; a count that is public moves nothing and is left at zero.
Matrix as_matrix(const MomentShape& shape, const std::vector<double>& entries);

/// Log likelihood ratio of the released entries, first against second: the most powerful statistic.
/// For wishart c (|Y - second|_* - |Y - first|_*): exact on the cone above the first table, where
/// it takes its largest value, and near enough elsewhere.
class LikelihoodRatio {
 public:
  LikelihoodRatio(const SecondMoment& first, const SecondMoment& second, const NoiseScale& scale,
                  double unit);

  double operator()(const NoisyMoment& released) const;
  /// Largest value of the ratio (Laplace), or how many standard deviations lie between (Gauss).
  double loss() const;
  /// The change has no negative eigenvalue.
  bool only_adds() const;

 private:
  /// What the precision of the trace has beyond that of independent entries.
  double trace_precision() const;
  double trace_of(const std::vector<double>& entries) const;
  std::vector<double> change() const;
  template <class Term>
  double sum(const Term& term, const NoisyMoment* released) const;

  MomentShape shape_;
  NoiseScale scale_;
  double unit_;
  std::vector<double> first_;
  std::vector<double> second_;
};

}  // namespace eigenveil
