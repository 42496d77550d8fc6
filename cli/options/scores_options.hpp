#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "engine/scores.hpp"

namespace eigenveil::cli {

/// --cells and --label: the grid of a score plot.
struct ScoresOptions {
  std::size_t cells = 20;
  std::string label;

  void declare(CLI::App& app);
  Result<void> fill(ScoresRequest& request) const;
};

}  // namespace eigenveil::cli
