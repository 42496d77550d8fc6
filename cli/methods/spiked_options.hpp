#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "cli/methods/request.hpp"
#include "mechanism/spiked/spiked.hpp"

namespace eigenveil::cli {

/// --sigma2, --lambda, --spread, --rank, --max-rank, --row-count, --c1 .. --c5, --diagnostic: the
/// public side of the spiked model.
struct SpikedOptions {
  std::optional<double> noise_variance;
  std::optional<double> spike;
  double spread = 1.0;
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> max_rank;
  std::optional<std::int64_t> row_count;
  bool gaussian_rows = false;
  SpikedConstants constants;
  std::string diagnostic;

  void declare(CLI::App& app);
  /// One of these options if it was given.
  std::string given() const;
  /// What Algorithm 1 needs, for a table of this size.
  Result<SpikedRequest> request(const Request& what, Eigen::Index rows, Eigen::Index dimension,
                                double row_radius) const;
  /// A radius from the model, when no bound was given and the model is known.
  Result<double> model_radius(const Request& what, Eigen::Index dimension,
                              std::optional<std::int64_t> rows) const;
};

}  // namespace eigenveil::cli
