#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "eigenveil/core/result.hpp"
#include "engine/table/counts_job.hpp"

namespace eigenveil::cli {

/// --cells and --label: the grid of a score plot.
struct ScoresOptions {
  std::size_t cells = 20;
  std::string label;

  void declare(CLI::App& app);
  Result<void> fill(AskedScores& asked) const;
};

}  // namespace eigenveil::cli
