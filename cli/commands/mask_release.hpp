#pragma once

#include "cli/exact_pass.hpp"
#include "cli/options/budget_options.hpp"
#include "cli/options/output_options.hpp"
#include "cli/outcome.hpp"
#include "publication/mask_document.hpp"
#include "publication/pseudo_writer.hpp"

namespace eigenveil::cli {

/// `mask INPUT ...`: pseudo-data with the second moments of a noisy Gram.
struct MaskCommandRequest {
  InputOptions input;
  std::vector<std::string> more_blocks;  ///< further shards, each with a mask of its own
  BoundOptions bounds;
  BudgetOptions budget;
  OutputOptions output;
  std::string method = "gauss";
  std::string calibration = "tight";
  std::int64_t smallest_block = 0;  ///< rows the noise is made for; 0: those of the smallest block
  bool intercept = false;
  bool factor_only = false;
  bool standardize = false;

  void declare(CLI::App& app);
  /// Public facts, plan, rows, noise, pseudo-data: refusals that can come from the request come
  /// before a row is read, those that come from the public number of rows before anything is drawn.
  Outcome run() const;
};

}  // namespace eigenveil::cli
