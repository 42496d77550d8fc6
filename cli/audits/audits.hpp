#pragma once

#include "cli/outcome.hpp"

namespace eigenveil::cli {

/// `audit gauss`, `audit laplace`. One file of this folder per family of attacks, listed in
/// commands/audit.cpp.
Command moment_audit(const std::string& method);
Command mask_audit();
Command orbit_audit();
Command exponential_audit();
Command sharp_audit();
Command subspace_learning_audit();  ///< `audit subspace`
/// `audit spiked`, `audit spiked-robust`, `audit oja`.
Command subspace_audit(const std::string& method);

}  // namespace eigenveil::cli
