#include "cli/options/scores_options.hpp"

#include "cli/options/checks.hpp"
#include "cli/options/input_options.hpp"

namespace eigenveil::cli {

void ScoresOptions::declare(CLI::App& app) {
  app.add_option("--cells", cells, "cells along each axis (default 20)")
      ->check(whole_number(2, 200))
      ->group("Scores");
  app.add_option("--label", label,
                 "COLUMN=A|B|C: one histogram for each public level, and one for all others")
      ->group("Scores");
}

Result<void> ScoresOptions::fill(AskedScores& asked) const {
  asked.cells = cells;
  if (label.empty()) {
    return {};
  }
  InputOptions levels;
  levels.one_hot = {label};
  TableSpec spec;
  return levels.fill(spec).map([&] { asked.label = spec.one_hot.front(); });
}

}  // namespace eigenveil::cli
