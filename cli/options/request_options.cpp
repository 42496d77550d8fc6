#include "cli/options/request_options.hpp"

#include <fmt/format.h>

#include "cli/options/checks.hpp"
#include "cli/options/input_options.hpp"
#include "cli/options/numbers_file.hpp"
#include "engine/table/prepared_table.hpp"
#include "mechanism/moment/assumed_spectrum.hpp"

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

namespace {

/// The columns that a public file speaks of; a size that was given must be theirs.
Result<Schema> columns_of_files(const BoundOptions& bounds) {
  if (!bounds.project_file.empty()) {
    return read_basis(bounds.project_file).map([](const PublicBasis& basis) {
      const auto p = static_cast<std::size_t>(basis.directions.rows());
      return basis.columns.empty() ? Schema::numbered(p) : Schema{basis.columns};
    });
  }
  TableSpec spec;
  return bounds.fill(spec).map([&] { return Schema{spec.bounded_columns()}; });
}

}  // namespace

Result<Schema> AssumedOptions::schema(const BoundOptions& bounds) const {
  if (!columns.empty() && dimension != 0) {
    return bad_request("give {dimension} or {columns}, not both", "dimension");
  }
  if (!columns.empty()) {
    return parse_columns(columns).map([](auto names) { return Schema{std::move(names)}; });
  }
  const bool project = !bounds.project_file.empty();
  if (project || !bounds.bounds_file.empty()) {
    Result<Schema> named = columns_of_files(bounds);
    if (named && dimension != 0 && static_cast<std::size_t>(dimension) != named->dimension()) {
      return bad_request(
          fmt::format("{} speaks of {} columns: leave out {{dimension}}",
                      project ? "{project}" : "the {bounds} file", named->dimension()),
          "dimension");
    }
    return named;
  }
  if (dimension == 0) {
    return bad_request("give {dimension P}, {columns} with the names, or a {bounds} file",
                       "dimension");
  }
  return Schema::numbered(static_cast<std::size_t>(dimension));
}

Result<AssumedTable> AssumedOptions::table(Request& request, const BoundOptions& bounds,
                                           const InputOptions& people) const {
  Schema columns_of_table;
  const bool sizeless = dimension == 0 && columns.empty() && bounds.bounds_file.empty() &&
                        bounds.project_file.empty();
  if (!sizeless || !plans_without_budget(request.method)) {
    const Result<Schema> named = schema(bounds);
    if (!named) {
      return error_of(named);
    }
    columns_of_table = *named;
  }
  TableSpec spec;
  const Result<void> filled =
      people.fill(spec).and_then([&] { return bounds.fill(spec); }).and_then([&] {
        return settle_people(spec, request);
      });
  if (!filled) {
    return error_of(filled);
  }
  Result<AssumedTable> table = assumed_table(spec, std::move(columns_of_table), rows);
  if (!table || spectrum_file.empty()) {
    return table;
  }
  Result<Vector> spectrum = read_spectrum(spectrum_file);
  if (!spectrum) {
    return error_of(spectrum);
  }
  table->spectrum = *std::move(spectrum);
  return table;
}

}  // namespace eigenveil::cli
