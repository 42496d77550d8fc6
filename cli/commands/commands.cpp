#include "cli/commands/commands.hpp"

#include <utility>

namespace eigenveil::cli {

Command command_group(std::string name, std::string summary, std::vector<Command> children) {
  return {std::move(name), std::move(summary), [children = std::move(children)](CLI::App& app) {
            app.require_subcommand(1);
            std::vector<std::pair<CLI::App*, std::function<Outcome()>>> parts;
            for (const Command& child : children) {
              CLI::App* part = app.add_subcommand(child.name, child.summary);
              parts.emplace_back(part, child.declare(*part));
            }
            return [parts]() -> Outcome {
              for (const auto& [part, run] : parts) {
                if (part->parsed()) {
                  return run();
                }
              }
              return {};
            };
          }};
}

std::vector<Command> all_commands() {
  return {pca_command(),       covariance_command(), lowrank_command(),   subspace_command(),
          mask_command(),      analyse_command(),    explore_command(),   plan_command(),
          gram_command(),      ledger_command(),     collect_command(),   contribute_command(),
          audit_command(),     sample_command(),     explain_command(),   bounds_command(),
          scores_command(),    generate_command(),   reproduce_command(), man_command(),
          completion_command()};
}

}  // namespace eigenveil::cli
