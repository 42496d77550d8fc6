#pragma once

#include <string>
#include <vector>

#include "mechanism/moment/sample_covariance.hpp"

namespace eigenveil {

/// The model that the noise of a spiked release was scaled to.
struct SpikedClaim {
  Eigen::Index rank = 1;
  double noise_variance_upper = 0.0;
  double spike_lower = 0.0;
  double spread = 1.0;
};

/// Whether the data fit the model the noise was scaled to: exact eigenvalues against the rank,
/// sigma², lambda and spread that the release used. PRIVATE, for the curator alone, and never part
/// of a release.
struct SpikedDiagnostic {
  struct Check {
    std::string name;
    bool holds = false;
    std::string words;
  };
  std::vector<Check> checks;
  Vector eigenvalues;  ///< exact, the largest few

  bool all_hold() const;
  std::string text() const;
};

SpikedDiagnostic diagnose_spiked(const SampleCovariance& sample, const SpikedClaim& claim);

}  // namespace eigenveil
