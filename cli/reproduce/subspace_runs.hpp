#pragma once

#include "eigenveil/mechanism/approximate_subspace.hpp"

namespace eigenveil::cli {

/// Rows of a Gaussian with k leading directions of variance 1 and the others of variance gamma^2,
/// some of them replaced by rows far outside.
struct SimulatedRows {
  std::size_t rows = 0;
  std::size_t dimension = 0;
  std::size_t subspace = 2;
  double gamma = 1e-3;
  double corrupted = 0.0;  ///< share of rows
};

/// Sine of the angle between the learned and the true subspace; 1 for NULL or a refused plan.
double learned_angle(const SimulatedRows& simulated, SubspaceAggregate aggregate, std::size_t parts,
                     RandomStream& stream);

}  // namespace eigenveil::cli
