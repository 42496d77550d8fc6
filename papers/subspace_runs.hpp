#pragma once

#include "mechanism/subspace/approximate_subspace.hpp"

namespace eigenveil::papers {

/// Rows of a Gaussian with k leading directions of variance 1 and the others of variance gamma^2,
/// some of them replaced by rows far outside.
struct SimulatedRows {
  std::size_t rows = 0;
  std::size_t dimension = 0;
  std::size_t subspace = 2;
  double gamma = 1e-3;
  double corrupted = 0.0;  ///< share of rows
};

/// Many runs, each on rows of its own: the sine of the angle between the learned and the true
/// subspace (1 for NULL or a refused plan), the share of runs that is useful, and the mean.
struct MeasuredAngles {
  static constexpr double kUseful = 0.1;
  std::vector<double> sines;
  double useful_share() const;
  double null_share() const;
  double mean() const;
  double median() const;
};
MeasuredAngles measure_angles(const SimulatedRows& simulated, const SubspaceRequest& settings,
                              std::size_t parts, int runs, RandomStream& stream);

/// The plan for such rows at epsilon = 1, delta = 1e-6. `settings` says how: aggregator and
/// constants; sizes, budget and gamma are filled in here.
Result<SubspacePlan> plan_for(const SimulatedRows& simulated, SubspaceRequest settings,
                              std::size_t parts);

}  // namespace eigenveil::papers
