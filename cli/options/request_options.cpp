#include "cli/options/request_options.hpp"

#include <fmt/format.h>

#include "cli/options/checks.hpp"
#include "cli/options/input_options.hpp"
#include "cli/options/numbers_file.hpp"

namespace eigenveil::cli {

void RequestOptions::declare(CLI::App& app) {
  if (takes_rank(task)) {
    app.add_option("-k,--components", components,
                   task == Task::Components ? "number of components (default 1)"
                   : task == Task::Subspace ? "dimension of the subspace (default 1)"
                                            : "rank of the result (default 1)")
        ->check(whole_number(1))
        ->each([this](const std::string&) { components_given = true; });
  }
  if (has_bound(task)) {
    app.add_flag(
        "--standardize", standardize,
        "work with columns scaled from their public range to [-1, 1] instead of original units");
    bounds.declare(app);
  }
  if (task == Task::Components) {
    bounds.declare_rank_transform(app);
  }
  budget.neighbours = name_of(default_relation(task));
  budget.declare(app);
}

Result<Request> RequestOptions::request(bool planned) const {
  Request request;
  request.task = task;
  request.method = own.method;
  const Result<Budget> spent = budget.budget();
  if (spent) {
    request.budget = *spent;
  } else if (!planned || budget.given() || !plans_without_budget(own.method)) {
    return error_of(spent);
  }
  const Result<Relation> relation = budget.relation();
  if (!relation) {
    return error_of(relation);
  }
  Result<Options> options = own.given();
  if (!options) {
    return error_of(options);
  }
  request.relation = *relation;
  request.group_size = budget.group_size;
  request.components = components;
  request.components_given = components_given;
  request.center = bounds.center_choice();
  request.arrives_centred = bounds.arrives_centred();
  request.rank_transform = bounds.rank_transform;
  request.units = standardize ? Units::Scaled : Units::Original;
  request.options = *std::move(options);
  return request;
}

void AssumedOptions::declare(CLI::App& app, bool with_spectrum) {
  constexpr const char* kGroup = "Size (assumed, no data is read)";
  app.add_option("--rows", rows, "number of rows")
      ->required()
      ->check(whole_number(1, std::uint64_t{1} << 50))
      ->group(kGroup);
  app.add_option("--dimension", dimension, "number of columns")
      ->check(whole_number(1, std::uint64_t{1} << 20))
      ->group(kGroup);
  app.add_option("--columns", columns, "names of the columns, instead of --dimension")
      ->check(not_empty())
      ->group(kGroup);
  if (with_spectrum) {
    app.add_option("--spectrum", spectrum_file,
                   "assumed eigenvalues of the covariance in scaled units, one per line, for the "
                   "predicted error; from public knowledge, or the output is for your eyes only")
        ->group(kGroup);
  }
}

Result<void> AssumedOptions::fill(ReleaseJob& job) const {
  job.rows = rows;
  if (!columns.empty()) {
    if (dimension != 0) {
      return bad_request("give {dimension} or {columns}, not both", "dimension");
    }
    if (const Result<void> named = keep(parse_columns(columns), job.columns); !named) {
      return named;
    }
  } else if (dimension != 0) {
    const auto size = static_cast<std::size_t>(dimension);
    const auto& basis = job.table.project;
    const std::size_t known = basis ? static_cast<std::size_t>(basis->directions.rows())
                              : job.table.bounds ? job.table.bounded_columns().size()
                                                 : 0;
    if (known == 0) {
      job.columns = Schema::numbered(size).columns;
    } else if (known != size) {
      return bad_request(fmt::format("{} speaks of {} columns: leave out {{dimension}}",
                                     basis ? "{project}" : "the {bounds} file", known),
                         "dimension");
    }
  }
  return spectrum_file.empty() ? Result<void>() : keep(read_spectrum(spectrum_file), job.spectrum);
}

}  // namespace eigenveil::cli
