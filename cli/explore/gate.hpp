#pragma once

#include <string>

#include "cli/explore/planned.hpp"

namespace eigenveil::cli {

/// Why noise would drown this release, in a sentence without a stop; empty where something stands
/// out. One gate for the page's button, its steps, screen 4 and the server: by what the page shows
/// of the assumed data, and by the verdict that the command itself would give.
std::string drowned_because(const Planned& plan);

/// The curator spends all the same, and the command that is shown says so. Pseudo-data have no such
/// option: their command gives no verdict.
bool can_insist(const Question& question);
bool insists(const Question& question, const std::string& drowned);

}  // namespace eigenveil::cli
