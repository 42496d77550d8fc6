#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/moment_request.hpp"
#include "cli/options/checks.hpp"
#include "cli/options/input_options.hpp"
#include "eigenveil/mechanism/predicted_error.hpp"
#include "eigenveil/report/document.hpp"

namespace eigenveil::cli {
namespace {

/// What a release would cost and give, from public numbers alone.
struct MomentPreview {
  std::int64_t rows = 0;
  std::int64_t dimension = 0;
  std::string columns;
  std::string spectrum_file;
  bool json = false;
  BoundOptions bounds;
  BudgetOptions budget;
  MomentOptions moment;
  Eigen::Index components = 0;

  void declare(CLI::App& app);
  Outcome run() const;

 private:
  Result<Schema> schema() const;
  Result<Vector> spectrum(std::size_t dimension) const;
  void print(const MomentPlan& plan, const Vector& eigenvalues) const;
};

void MomentPreview::declare(CLI::App& app) {
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
  moment.declare(app);
  bounds.declare(app);
  budget.declare(app);
}

Result<Schema> MomentPreview::schema() const {
  if (!columns.empty()) {
    return parse_columns(columns).map([](auto names) { return Schema{std::move(names)}; });
  }
  if (dimension == 0 && !bounds.bounds_file.empty()) {
    return read_named_numbers(bounds.bounds_file, {"low", "high"}).map([](const auto& lines) {
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

Result<Vector> MomentPreview::spectrum(std::size_t expected) const {
  if (spectrum_file.empty()) {
    return Vector();
  }
  std::ifstream file(spectrum_file);
  if (!file) {
    return input_output_error(fmt::format("cannot read {}", spectrum_file));
  }
  std::vector<double> values;
  double value = 0.0;
  while (file >> value) {
    values.push_back(value);
  }
  const bool sound = std::all_of(values.begin(), values.end(),
                                 [](double v) { return std::isfinite(v) && v >= 0.0; });
  if (!file.eof() || !sound || values.size() != expected) {
    return bad_request(fmt::format("{} must hold {} finite, non-negative eigenvalues, one per line",
                                   spectrum_file, expected));
  }
  std::sort(values.rbegin(), values.rend());
  return Vector(Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size())));
}

void MomentPreview::print(const MomentPlan& plan, const Vector& eigenvalues) const {
  const double n = static_cast<double>(rows);
  const double floor =
      noise_floor(column_scales(plan.bound(), moment.units()), plan.off_diagonal_sd(), n);
  const Guarantee& guarantee = plan.guarantee();
  const std::string statement = headline(guarantee, *budget.budget());
  nlohmann::ordered_json facts = {{"task", components > 0 ? "pca" : "covariance"},
                                  {"method", plan.method()},
                                  {"guarantee", statement},
                                  {"in_words", detection_in_words(guarantee)},
                                  {"max_power_at_5pct", max_power(guarantee.loss, 0.05)},
                                  {"row_norm", plan.bound().radius()},
                                  {"noise_sd_diagonal", plan.product_sd() / n},
                                  {"noise_sd_off_diagonal", plan.off_diagonal_sd() / n},
                                  {"noise_sd_rows", plan.count_sd()},
                                  {"noise_floor", floor}};
  if (components > 0 && eigenvalues.size() > 0) {
    facts["predicted_error_f2"] =
        predicted_subspace_error(eigenvalues, components, plan.off_diagonal_sd() / n);
  }
  if (json) {
    fmt::print("{}\n", facts.dump(2));
    return;
  }
  fmt::print("Plan for {} by method {}: {} rows, {} column{} (no data was read)\n",
             facts["task"].get<std::string>(), plan.method(), rows, plan.bound().dimension(),
             plan.bound().dimension() == 1 ? "" : "s");
  fmt::print("  guarantee   {}\n  in words    {}\n  bounds      {}\n", statement,
             detection_in_words(guarantee), describe_bound(plan.bound()));
  fmt::print(
      "  noise       standard deviation {:.4g} on a variance, {:.4g} on a covariance (scaled "
      "units)\n",
      plan.product_sd() / n, plan.off_diagonal_sd() / n);
  fmt::print("  floor       eigenvalues below about {:.4g} would drown in noise ({} units)\n",
             floor, moment.units() == Units::Original ? "original" : "scaled");
  if (plan.count_sd() > 0.0) {
    fmt::print("  rows        released with standard deviation {:.3g}\n", plan.count_sd());
  }
  if (facts.contains("predicted_error_f2")) {
    fmt::print(
        "  error       |UU' - VV'|_F^2 about {:.4g} (worst {}; first order, for the assumed "
        "spectrum)\n",
        facts["predicted_error_f2"].get<double>(), 2 * components);
  }
}

Outcome MomentPreview::run() const {
  const Result<Schema> names = schema();
  if (!names) {
    return error_of(names);
  }
  if (components > static_cast<Eigen::Index>(names->dimension())) {
    return bad_request(
        fmt::format("-k must satisfy 1 <= k <= {}, the number of columns", names->dimension()));
  }
  const Result<Vector> eigenvalues = spectrum(names->dimension());
  if (!eigenvalues) {
    return error_of(eigenvalues);
  }
  return bounds.bound(*names)
      .and_then([&](const RowBound& bound) {
        return make_moment_plan(moment, budget, bound, bounds.private_mean(), components);
      })
      .map([&](const MomentPlan& plan) { print(plan, *eigenvalues); });
}

}  // namespace

Command plan_command() {
  return {
      "plan",
      "Noise, predicted error and guarantee of a release before any data is read.\n"
      "  eigenveil plan pca --rows 100000 --dimension 50 -k 3 --range 0:10 --epsilon 1 --delta "
      "1e-6",
      [](CLI::App& app) {
        auto pca = std::make_shared<MomentPreview>();
        auto covariance = std::make_shared<MomentPreview>();
        app.require_subcommand(1);
        CLI::App* first = app.add_subcommand("pca", "principal components");
        pca->components = 1;
        first->add_option("-k,--components", pca->components, "number of components (default 1)")
            ->check(whole_number(1));
        pca->declare(*first);
        covariance->declare(*app.add_subcommand("covariance", "covariance or second moment"));
        return
            [pca, covariance, first] { return first->parsed() ? pca->run() : covariance->run(); };
      }};
}

}  // namespace eigenveil::cli
