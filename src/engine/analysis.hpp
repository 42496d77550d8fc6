#pragma once

#include <string>

#include "engine/released_input.hpp"

namespace eigenveil {

/// Estimates from a release, as every face shows them: sums of all rows, or of the rows that have
/// both of two columns. Post-processing.

struct AnalysedMoments {
  bool about_midpoint = false;  ///< second moments instead of covariances
  double rows = 0.0;
  bool from_midpoints = false;  ///< means are distances from the public midpoints, not as they are
  MomentEstimate estimate;
  CorrelationEstimate correlations;
  std::string missing_cells;  ///< what was done about them
  /// 95% limits, to first order in the noise, one pair at a time; empty where no errors are known.
  Matrix correlations_low = {};
  Matrix correlations_high = {};
};
/// About the mean where the release has one, unless second moments are asked for.
Result<AnalysedMoments> analyse_moments(const ReleasedMoments& released, bool second_moment);

struct AnalysedRegression {
  double rows = 0.0;
  CoefficientTarget target = CoefficientTarget::Population;
  Regression fit;
  std::string measured_from;
  std::string missing_cells;
  std::string intercept_words = {};  ///< what a reader should know of it; may be empty
  double sampling_factor = 1.0;      ///< as in ReleasedGram; 1 about the raw rows
};
/// How intervals about the population allow for weights and for rows that belong together; empty
/// where they need not.
std::string sampling_in_words(double sampling_factor);
/// Intervals of pairwise sums are about what the available cases of the raw rows would have given,
/// whatever target is asked for: `target` says which it was.
Result<AnalysedRegression> analyse_regression(const ReleasedMoments& released,
                                              const RegressionRequest& request);

struct AnalysedComponents {
  double rows = 0.0;
  bool about_mean = true;
  bool approximate_limits = false;
  std::vector<std::string> names;
  ComponentEstimate found;
  std::string missing_cells;
};
Result<AnalysedComponents> analyse_components(const ReleasedMoments& released, Eigen::Index count);

}  // namespace eigenveil
