#pragma once

#include <cstdint>
#include <string>

#include "cli/options/bound_options.hpp"
#include "cli/options/budget_options.hpp"
#include "cli/options/input_options.hpp"
#include "cli/options/method_options.hpp"
#include "eigenveil/engine/request.hpp"
#include "engine/table/release_job.hpp"

namespace eigenveil::cli {

/// What is asked for, whether it is run on rows or only planned.
struct RequestOptions {
  Task task = Task::Components;
  Eigen::Index components = 1;
  bool components_given = false;
  bool standardize = false;
  MethodOptions own;
  BoundOptions bounds;
  BudgetOptions budget;

  void declare(CLI::App& app);
  /// As the engine takes it. In a plan the budget may be missing where the method can do without.
  Result<Request> request(bool planned = false) const;
};

/// A table nobody has read: sizes are assumed.
struct AssumedOptions {
  std::int64_t rows = 0;
  std::int64_t dimension = 0;
  std::string columns;
  std::string spectrum_file;

  void declare(CLI::App& app, bool with_spectrum);
  /// A size must be that of the public files of the job, if they speak of columns.
  Result<void> fill(ReleaseJob& job) const;
};

}  // namespace eigenveil::cli
