#include "cli/subspace/learn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>

#include "cli/options/checks.hpp"
#include "cli/progress.hpp"
#include "data/parallel_rows.hpp"
#include "mechanism/subspace/subspace_learner.hpp"

namespace eigenveil::cli {

void LearnOptions::declare(CLI::App& app) {
  constexpr const char* kGroup = "Subspace near the rows";
  app.add_option("--gamma", gamma,
                 "sqrt(lambda_(k+1) / lambda_k) the data have at most; without it a ladder of "
                 "values is searched privately, which costs budget")
      ->group(kGroup);
  app.add_option("--groups", groups, "number of groups of rows (default: planned)")
      ->check(whole_number(3, 20'000))
      ->group(kGroup);
  app.add_option("--references", references, "reference points per direction (default 4)")
      ->check(whole_number(1, 100))
      ->group(kGroup);
  app.add_option("--cell-factor", cell_factor, "grid: cell side over the default one (default 1)")
      ->group(kGroup);
  app.add_option("--radius-factor", radius_factor, "core: radius over the default one (default 1)")
      ->group(kGroup);
  app.add_option("--largest-noise-angle", largest_noise_angle,
                 "answer NULL when noise may turn the subspace by more than this sine (default "
                 "0.707: noise as large as the signal)")
      ->check(number_in(kOpenUnit))
      ->group(kGroup);
  app.add_option("--failure-probability", failure_probability,
                 "boosted: learn on disjoint parts and take what most agree on")
      ->check(number_in(kOpenUnit))
      ->group(kGroup);
  app.add_option("--angle", angle, "boosted: sine of the angle that counts as agreement (0.1)")
      ->check(number_in(kOpenUnit))
      ->group(kGroup);
}

/// Two answers within this of a third are within twice of each other; a sine ends at 1.
constexpr double kLargestAgreement = 0.5;

Result<void> LearnOptions::check_words(bool exact) const {
  const bool exact_word = aggregate == "gapmax" || aggregate == "votes";
  if (!aggregate.empty() && exact_word != exact) {
    return bad_request(exact ? "with --exact, --aggregate is gapmax or votes"
                             : "--aggregate gapmax and votes need --exact");
  }
  if (exact && (gamma || failure_probability || groups)) {
    return bad_request("--gamma, --groups and --failure-probability are not for --exact");
  }
  if (failure_probability && !(angle < kLargestAgreement)) {
    return bad_request(
        "--angle must be below 0.5 with --failure-probability: answers further apart do not agree");
  }
  return {};
}

SubspaceRequest LearnOptions::request(std::size_t rows, std::size_t dimension,
                                      const ApproxDp& budget) const {
  return {rows / parts(),
          dimension,
          subspace,
          budget,
          aggregate == "grid" ? SubspaceAggregate::Grid : SubspaceAggregate::Core,
          gamma,
          groups,
          references,
          cell_factor,
          radius_factor,
          largest_noise_angle};
}

Result<SubspacePlan> LearnOptions::plan(std::size_t rows, std::size_t dimension,
                                        const ApproxDp& budget) const {
  constexpr std::size_t kMostRows = std::size_t{1} << 24U;
  Result<SubspacePlan> planned = SubspacePlan::make(request(rows, dimension, budget));
  if (planned || parts() == 1) {
    return planned;
  }
  for (std::size_t enough = std::max<std::size_t>(rows, 64); enough < kMostRows; enough *= 2) {
    if (SubspacePlan::make(request(enough, dimension, budget))) {
      return bad_request(fmt::format(
          "{} rows are too few for the {} parts of --failure-probability, which leave {} in each; "
          "{} would do, or a larger --failure-probability",
          rows, parts(), rows / parts(), enough));
    }
  }
  return planned;
}

Result<ApproxDp> subspace_budget(const BudgetOptions& options) {
  if (options.group_size != 1) {
    return bad_request(
        "subspace protects one row: leave out --group-size; G rows together have (epsilon, delta) "
        "when one row gets epsilon/G and delta (e^(epsilon/G) - 1)/(e^epsilon - 1)");
  }
  if (options.neighbours != "replace-one") {
    return bad_request(
        "subspace protects against replacing one row by any other (the row count is public); "
        "leave out --neighbours or give replace-one");
  }
  return options.budget().and_then([](const Budget& budget) -> Result<ApproxDp> {
    if (const auto* pair = std::get_if<ApproxDp>(&budget)) {
      return *pair;
    }
    return bad_request(
        "subspace needs --epsilon with --delta: no pure or Gaussian budget can release one of "
        "infinitely many subspaces");
  });
}

Result<void> check_rereadable(const InputOptions& input) {
  std::error_code ignored;
  const auto status = std::filesystem::status(input.input, ignored);
  if (input.input == "-" ||
      (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))) {
    return bad_request(
        "the rows are read more than once, so the input must be a regular file: standard input "
        "and pipes can be read once only");
  }
  return {};
}

Result<std::size_t> count_rows(const InputOptions& input) {
  Result<std::unique_ptr<RowReader>> reader = input.open();
  if (!reader) {
    return error_of(reader);
  }
  std::atomic<std::size_t> rows = 0;
  const Result<void> read =
      for_each_block(**reader, static_cast<std::size_t>(input.thread_count()),
                     [&](std::size_t, RawRows& block) { rows += block.rows; });
  if (!read) {
    return error_of(read);
  }
  return rows.load();
}

Result<void> for_each_row(const InputOptions& input, std::size_t rows, bool quiet,
                          const std::function<void(const double*)>& take) {
  Result<std::unique_ptr<RowReader>> opened = input.open();
  if (!opened) {
    return error_of(opened);
  }
  const std::unique_ptr<RowReader> reader =
      with_progress(std::move(*opened), input.display_name(), quiet);
  RawRows block;
  std::size_t seen = 0;
  while (true) {
    if (const Result<void> read = reader->read(block); !read) {
      return error_of(read);
    }
    if (block.rows == 0) {
      break;
    }
    for (std::size_t r = 0; r < block.rows; ++r) {
      take(block.values.data() + r * block.dimension);
    }
    seen += block.rows;
  }
  if (seen != rows) {
    return bad_request(fmt::format("the table has {} rows, not {} as --rows says", seen, rows));
  }
  return {};
}

Result<Release<LearnedSubspace>> learn_subspace(const SubspacePlan& plan, std::size_t parts,
                                                double angle, std::size_t rows,
                                                const InputOptions& input, bool quiet,
                                                RandomStream& stream) {
  SubspaceLearner learner(plan, parts, angle, stream, input.thread_count());
  return for_each_row(input, rows, quiet, [&](const double* row) { learner.add(row); }).map([&] {
    return std::move(learner).finish();
  });
}

}  // namespace eigenveil::cli
