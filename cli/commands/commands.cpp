#include "cli/commands/commands.hpp"

namespace eigenveil::cli {

std::vector<Command> all_commands() {
  return {pca_command(),       covariance_command(), plan_command(),      gram_command(),
          audit_command(),     explain_command(),    bounds_command(),    generate_command(),
          reproduce_command(), man_command(),        completion_command()};
}

}  // namespace eigenveil::cli
