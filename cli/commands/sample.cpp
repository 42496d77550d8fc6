#include "cli/commands/sample.hpp"

#include "cli/commands/commands.hpp"

namespace eigenveil::cli {

Command sample_command() {
  return command_group("sample",
                       "Exact draws from the laws behind the mechanisms, for researchers: no data, "
                       "no privacy.",
                       {sample_orbit_command()});
}

}  // namespace eigenveil::cli
