#include "cli/commands/sample.hpp"

#include "cli/commands/commands.hpp"

namespace eigenveil::cli {

Command sample_command() {
  return command_group(
      "sample",
      "Draws from the laws behind the mechanisms, for research: no data, no privacy claim.\n"
      "  eigenveil sample bingham --spectrum spectrum.txt --exponent 50 -k 2 --draws 1000 --out "
      "draws.npy",
      {sample_bingham_command(), sample_orbit_command()});
}

}  // namespace eigenveil::cli
