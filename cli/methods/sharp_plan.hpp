#pragma once

#include <optional>
#include <string>

#include "cli/methods/request.hpp"
#include "cli/outcome.hpp"

namespace eigenveil::cli {

/// Options that only method sharp has.
struct SharpOptions {
  std::string spectrum_file;
  bool spectrum_is_public = false;
  std::optional<double> beta;
  double calibration_share = 0.3;
};

/// `plan pca --method sharp`: mu for a beta or beta for a mu, plateau, predicted errors, worst-case
/// epsilon, and whether calibrating on the data would be worth it, for an assumed spectrum.
Outcome plan_sharp(const PlanRequest& request, const SharpOptions& options);

}  // namespace eigenveil::cli
