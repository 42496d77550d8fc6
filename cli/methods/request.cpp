#include "cli/methods/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "cli/options/checks.hpp"
#include "mechanism/moment/assumed_spectrum.hpp"

namespace eigenveil::cli {

std::string name_of(Task task) {
  switch (task) {
    case Task::Components:
      return "pca";
    case Task::LowRank:
      return "lowrank";
    default:
      return "covariance";
  }
}

void Request::declare(CLI::App& app) {
  if (takes_rank()) {
    app.add_option("-k,--components", components,
                   wants_components() ? "number of components (default 1)"
                                      : "rank of the result (default 1)")
        ->check(whole_number(1))
        ->each([this](const std::string&) { components_given = true; });
  }
  app.add_flag(
      "--standardize", standardize,
      "work with columns scaled from their public range to [-1, 1] instead of original units");
  bounds.declare(app);
  if (wants_components()) {
    bounds.declare_rank_transform(app);
  }
  budget.declare(app);
}

void Request::declare_variance_share(CLI::App& app) {
  app.add_option("--variance-share", variance_share,
                 "share of the budget for the covariance inside the released subspace (default "
                 "0.2; methods that draw a subspace)")
      ->check(open_unit_interval());
}

void Request::declare_calibration(CLI::App& app) {
  app.add_option_function<std::string>(
         "--calibration", [this](const std::string& text) { published = text == "published"; },
         "tight (default) or published: the constants of the method's paper (docs/papers.md), for "
         "reproduction")
      ->check(one_of({"tight", "published"}));
  app.add_flag("--published", published, "the same as --calibration published");
}

Result<void> Request::check_components(std::size_t dimension) const {
  if (takes_rank() && components > static_cast<Eigen::Index>(dimension)) {
    return bad_request(
        fmt::format("-k must satisfy 1 <= k <= {}, the number of columns", dimension));
  }
  return {};
}

void ReleaseRequest::declare(CLI::App& app) {
  input.declare(app);
  what.declare(app);
  output.declare(app);
}

void PlanRequest::declare(CLI::App& app) {
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
  app.add_option("--spectrum", spectrum_file,
                 "assumed eigenvalues of the covariance in scaled units, one per line, for the "
                 "predicted error; from public knowledge, or the output is for your eyes only")
      ->group(kGroup);
  app.add_flag("--json", json, "for machines");
  if (what.wants_components()) {
    app.add_flag("--compare", compare,
                 "the predicted error of every method for the assumed --spectrum, with a "
                 "recommendation")
        ->group(kGroup);
    app.add_option("--figure", figure_folder,
                   "with --compare: a folder for comparison.svg and .csv")
        ->group(kGroup);
  }
  what.declare(app);
}

Result<Schema> PlanRequest::schema() const {
  if (!columns.empty() && dimension != 0) {
    return bad_request("give --dimension or --columns, not both");
  }
  if (!columns.empty()) {
    return parse_columns(columns).map([](auto names) { return Schema{std::move(names)}; });
  }
  if (dimension == 0 && !what.bounds.bounds_file.empty()) {
    return read_named_numbers(what.bounds.bounds_file, {"low", "high"}).map([](const auto& lines) {
      Schema named;
      for (const NamedNumbers& line : lines) {
        named.columns.push_back(line.column);
      }
      return named;
    });
  }
  if (dimension == 0) {
    return bad_request("give --dimension P, --columns with the names, or a --bounds file");
  }
  Schema schema;
  for (std::int64_t j = 1; j <= dimension; ++j) {
    schema.columns.push_back(fmt::format("c{}", j));
  }
  return schema;
}

Result<Vector> PlanRequest::spectrum(std::size_t expected) const {
  if (spectrum_file.empty()) {
    return Vector();
  }
  return read_spectrum(spectrum_file).and_then([&](Vector values) -> Result<Vector> {
    if (static_cast<std::size_t>(values.size()) != expected) {
      return bad_request(fmt::format("{} must hold {} eigenvalues, one for every column",
                                     spectrum_file, expected));
    }
    const Result<RowBound> bound =
        schema().and_then([&](const Schema& named) { return what.bounds.bound(named); });
    if (!bound) {
      return error_of(bound);
    }
    return check_assumed_spectrum(values, *bound).map([&] { return values; });
  });
}

Result<Vector> read_numbers(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    return input_output_error(fmt::format("cannot read {}", path));
  }
  std::vector<double> values;
  double value = 0.0;
  while (file >> value) {
    values.push_back(value);
  }
  const bool finite =
      std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  if (!file.eof() || !finite || values.empty()) {
    return bad_request(fmt::format("{} must hold finite eigenvalues, one per line", path));
  }
  return Vector(Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size())));
}

Result<Vector> read_spectrum(const std::string& path) {
  return read_numbers(path).and_then([&](Vector values) -> Result<Vector> {
    if (values.minCoeff() < 0.0) {
      return bad_request(
          fmt::format("{} must hold finite, non-negative eigenvalues, one per line", path));
    }
    std::sort(values.begin(), values.end(), std::greater<>());
    return values;
  });
}

}  // namespace eigenveil::cli
