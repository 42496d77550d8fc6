#pragma once

#include "cli/outcome.hpp"

namespace eigenveil::cli {

/// The children of `sample`, one file each.
Command sample_orbit_command();

}  // namespace eigenveil::cli
