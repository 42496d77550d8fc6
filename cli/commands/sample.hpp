#pragma once

#include "cli/outcome.hpp"

namespace eigenveil::cli {

/// Children of `sample`, one file each.
Command sample_bingham_command();
Command sample_orbit_command();

}  // namespace eigenveil::cli
