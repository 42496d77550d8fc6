#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/options/bound_options.hpp"
#include "cli/options/budget_options.hpp"
#include "cli/options/input_options.hpp"
#include "cli/options/output_options.hpp"
#include "eigenveil/core/matrix.hpp"
#include "mechanism/comparison/comparison.hpp"
#include "mechanism/moment/covariance.hpp"

namespace eigenveil::cli {

/// The commands that have a choice of methods.
enum class Task : std::uint8_t { Components, Covariance, LowRank };
std::string name_of(Task task);  ///< "pca", "covariance", "lowrank"

/// What is asked for, whether it is run on rows or only planned. Public.
struct Request {
  Task task = Task::Components;
  Eigen::Index components = 1;  ///< pca and lowrank: how many; otherwise unused
  bool components_given = false;
  std::string method;  ///< empty: the default of task and budget
  bool standardize = false;
  /// Share of the budget for the k x k covariance inside the subspace (exponential, orbit, sharp).
  std::optional<double> variance_share;
  bool published = false;  ///< the paper's own constants instead of the tight ones
  BoundOptions bounds;
  BudgetOptions budget;

  void declare(CLI::App& app);
  /// Declared by the choice of methods where one of them takes it.
  void declare_variance_share(CLI::App& app);
  void declare_calibration(CLI::App& app);
  double share_for_variance() const { return variance_share.value_or(kDefaultVarianceShare); }
  bool wants_components() const { return task == Task::Components; }
  bool takes_rank() const { return task != Task::Covariance; }  ///< has -k
  Units units() const { return standardize ? Units::Scaled : Units::Original; }
  Center center() const {
    return bounds.private_mean() ? Center::PrivateMean : Center::PublicMidpoint;
  }
  /// -k against the number of columns.
  Result<void> check_components(std::size_t dimension) const;
};

/// A request on a table.
struct ReleaseRequest {
  Request what;
  InputOptions input;
  OutputOptions output;

  void declare(CLI::App& app);
};

/// A request on a table nobody has read: sizes are assumed.
struct PlanRequest {
  Request what;
  std::int64_t rows = 0;
  std::int64_t dimension = 0;
  std::string columns;
  std::string spectrum_file;
  bool json = false;
  bool compare = false;       ///< every method on one table
  std::string figure_folder;  ///< of the comparison

  void declare(CLI::App& app);
  /// Names of the columns: given, from a bounds file, or c1, c2, ...
  Result<Schema> schema() const;
  /// The assumed eigenvalues, largest first; empty when none were given.
  Result<Vector> spectrum(std::size_t dimension) const;
};

/// Finite numbers, one per line, in the order of the file.
Result<Vector> read_numbers(const std::string& path);

/// Finite, non-negative eigenvalues, one per line, largest first in the result.
Result<Vector> read_spectrum(const std::string& path);

}  // namespace eigenveil::cli
