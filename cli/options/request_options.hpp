#pragma once

#include <cstdint>
#include <string>

#include "cli/options/bound_options.hpp"
#include "cli/options/budget_options.hpp"
#include "cli/options/input_options.hpp"
#include "cli/options/method_options.hpp"
#include "eigenveil/engine/request.hpp"

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
  /// Names of the columns: given, from a basis or a bounds file, or c1, c2, ...
  Result<Schema> schema(const BoundOptions& bounds) const;
  /// People settle the group of the request.
  Result<AssumedTable> table(Request& request, const BoundOptions& bounds,
                             const InputOptions& people) const;
};

}  // namespace eigenveil::cli
