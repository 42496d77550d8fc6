#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "cli/options/budget_options.hpp"
#include "cli/options/input_options.hpp"
#include "mechanism/subspace/approximate_subspace.hpp"

namespace eigenveil::cli {

/// Options of the approximate case that `subspace` and `plan subspace` share.
struct LearnOptions {
  std::size_t subspace = 1;
  std::string aggregate;
  std::optional<double> gamma;
  std::optional<std::size_t> groups;
  std::size_t references = 4;
  double cell_factor = 1.0;
  double radius_factor = 1.0;
  double largest_noise_angle = SubspaceRequest::kNoiseAsLargeAsSignal;
  std::optional<double> failure_probability;
  double angle = 0.1;

  void declare(CLI::App& app);
  /// Whether the aggregator and the other words fit the exact or the approximate case.
  Result<void> check_words(bool exact) const;
  std::size_t parts() const {
    return failure_probability ? boosting_parts(*failure_probability) : 1;
  }
  SubspaceRequest request(std::size_t rows, std::size_t dimension, const ApproxDp& budget) const;
  /// The plan for one part; a refusal names all rows, the parts, and the rows that would do.
  Result<SubspacePlan> plan(std::size_t rows, std::size_t dimension, const ApproxDp& budget) const;
};

/// (epsilon, delta) for replacing one row: the only budget and relation of the subspace commands.
Result<ApproxDp> subspace_budget(const BudgetOptions& budget);

/// Refuses what can be read once only (standard input, a pipe), before it is opened.
Result<void> check_rereadable(const InputOptions& input);

/// The number of rows of a table, which is public for these neighbours; reads the file once.
Result<std::size_t> count_rows(const InputOptions& input);

/// Reads the rows in their order and hands every one to `take`. Fails if there are not `rows`.
Result<void> for_each_row(const InputOptions& input, std::size_t rows, bool quiet,
                          const std::function<void(const double*)>& take);

/// Learns on `parts` disjoint blocks of rows, each by `plan` (which is for rows / parts rows), and
/// takes what most of them agree on. One part: its answer.
Result<Release<LearnedSubspace>> learn_subspace(const SubspacePlan& plan, std::size_t parts,
                                                double angle, std::size_t rows,
                                                const InputOptions& input, bool quiet,
                                                RandomStream& stream);

}  // namespace eigenveil::cli
