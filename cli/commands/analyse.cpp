#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/options/checks.hpp"
#include "cli/options/input_options.hpp"
#include "engine/analysis.hpp"
#include "engine/documents/document_parts.hpp"

namespace eigenveil::cli {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Vector& values) {
  return std::vector<double>(values.data(), values.data() + values.size());
}
Json to_json(const Matrix& values) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    rows.push_back(to_json(Vector(values.row(i))));
  }
  return rows;
}

void print_matrix(const std::vector<std::string>& names, const std::vector<std::string>& header,
                  const Matrix& values) {
  std::string line = "column";
  for (const std::string& name : header) {
    line += "," + name;
  }
  fmt::print("{}\n", line);
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    line = names[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < values.cols(); ++j) {
      line += fmt::format(",{:.6g}", values(i, j));
    }
    fmt::print("{}\n", line);
  }
}

void print_matrix(const std::vector<std::string>& names, const Matrix& values) {
  print_matrix(names, names, values);
}

/// "column,column,correlation,low,high", a line for every pair.
void print_limits(const AnalysedMoments& found, const std::vector<Eigen::Index>& kept) {
  const std::vector<std::string>& names = found.estimate.names;
  const auto name = [&](Eigen::Index j) { return names[static_cast<std::size_t>(j)]; };
  fmt::print(
      "\n95% limits of them for the rows, one pair at a time, to first order in the noise\n"
      "column,column,correlation,low,high\n");
  for (const Eigen::Index i : kept) {
    for (const Eigen::Index j : kept) {
      if (i < j) {
        fmt::print("{},{},{:.6g},{:.6g},{:.6g}\n", name(i), name(j), found.correlations.value(i, j),
                   found.correlations_low(i, j), found.correlations_high(i, j));
      }
    }
  }
}

/// Of the columns that have one.
void print_correlations(const AnalysedMoments& found) {
  const char* title = found.about_midpoint ? "cosines" : "correlations";
  const CorrelationEstimate& correlations = found.correlations;
  std::vector<Eigen::Index> kept;
  std::vector<std::string> names;
  for (Eigen::Index j = 0; j < correlations.value.rows(); ++j) {
    if (!std::isnan(correlations.value(j, j))) {
      kept.push_back(j);
      names.push_back(found.estimate.names[static_cast<std::size_t>(j)]);
    }
  }
  if (!kept.empty()) {
    fmt::print("\n{}\n", title);
    print_matrix(names, correlations.value(kept, kept));
  }
  if (kept.size() > 1 && found.correlations_low.size() > 0) {
    print_limits(found, kept);
  }
  if (!correlations.left_out.empty()) {
    fmt::print("\nno {} of {}: the noise leaves no variance to divide by\n", title,
               fmt::join(correlations.left_out, ", "));
  }
}

/// What all parts of the command share: the release and how to print.
struct AnalyseOptions {
  std::vector<std::string> files;
  bool json = false;

  void declare(CLI::App& app) {
    app.add_option("FILE", files,
                   "pseudo-data with its release document beside it, a release.json of mask or "
                   "covariance, or its directory; several: shards masked with one "
                   "--smallest-block")
        ->required();
    app.add_flag("--json", json, "for machines");
  }

  Result<ReleasedMoments> read() const { return read_released_moments(files); }
};

struct MomentsRequest {
  AnalyseOptions common;
  bool second = false;

  Outcome run() const {
    return common.read()
        .and_then(
            [&](const ReleasedMoments& released) { return analyse_moments(released, second); })
        .map([&](const AnalysedMoments& found) { common.json ? print_json(found) : print(found); });
  }

 private:
  static void print_json(const AnalysedMoments& found) {
    const MomentEstimate& estimate = found.estimate;
    Json json{{"estimate", found.about_midpoint ? "second_moment" : "covariance"},
              {"rows", found.rows},
              {"columns", estimate.names},
              {"values", to_json(estimate.value)},
              {"standard_errors", to_json(estimate.standard_error)}};
    if (estimate.mean.size() > 0) {
      json["mean"] = to_json(estimate.mean);
      json["mean_standard_errors"] = to_json(estimate.mean_standard_error);
      json["measured_from"] = found.from_midpoints ? "public midpoints" : "zero";
    }
    // Null where a variance is within its noise, or too few rows have both columns.
    json["correlations"] = to_json(found.correlations.value);
    if (found.correlations.standard_error.size() > 0) {
      json["correlation_standard_errors"] = to_json(found.correlations.standard_error);
      json["correlations_low"] = to_json(found.correlations_low);
      json["correlations_high"] = to_json(found.correlations_high);
    }
    json["left_out_of_correlations"] = found.correlations.left_out;
    json["missing_cells"] = found.missing_cells;
    fmt::print("{}\n", json.dump(2));
  }
  static void print(const AnalysedMoments& found) {
    const MomentEstimate& estimate = found.estimate;
    fmt::print("{} of {:.0f} rows, corrected for the noise\n",
               found.about_midpoint ? "Second moment about the public midpoint" : "Covariance",
               found.rows);
    print_matrix(estimate.names, estimate.value);
    fmt::print("\nstandard errors (noise of the release)\n");
    print_matrix(estimate.names, estimate.standard_error);
    if (estimate.mean.size() > 0) {
      fmt::print("\nmeans{}\n", found.from_midpoints ? " (from the public midpoints)" : "");
      Matrix means(estimate.mean.size(), 2);
      means << estimate.mean, estimate.mean_standard_error;
      print_matrix(estimate.names, {"mean", "standard error"}, means);
    }
    print_correlations(found);
    fmt::print("\nmissing cells: {}\n", found.missing_cells);
  }
};

struct RegressCommandRequest {
  AnalyseOptions common;
  std::string response;
  std::string predictors;
  double ridge = 0.0;
  double level = 0.95;
  std::string about;  ///< empty: what the release allows, the population if it can be

  Outcome run() const {
    if (predictors.empty()) {
      return bad_request("--predictors names no column; give a,b,c or @FILE with one per line");
    }
    const Result<std::vector<std::string>> names = parse_columns(predictors);
    if (!names) {
      return error_of(names);
    }
    constexpr double kLargestRidge = 1e50;  // its square, times any number of rows, is a double
    if (!(ridge >= 0.0) || !(ridge <= kLargestRidge)) {
      return bad_request("--ridge must be a number from 0 to 1e50");
    }
    return common.read()
        .and_then([&](const ReleasedMoments& released) {
          return analyse_regression(released, {response, *names, ridge, level,
                                               about == "raw" ? CoefficientTarget::RawData
                                                              : CoefficientTarget::Population});
        })
        .and_then([&](const AnalysedRegression& found) -> Outcome {
          if (about == "population" && found.target != CoefficientTarget::Population) {
            return bad_request(
                "a release of pairs has intervals about its rows alone: leave out --about, or give "
                "--about raw");
          }
          common.json ? print_json(found) : print(found);
          return {};
        });
  }

 private:
  static const char* name_of(CoefficientTarget target) {
    return target == CoefficientTarget::RawData ? "raw" : "population";
  }
  void print_json(const AnalysedRegression& found) const {
    const Regression& fit = found.fit;
    fmt::print("{}\n", Json{{"response", response},
                            {"predictors", fit.names},
                            {"rows", found.rows},
                            {"ridge", ridge},
                            {"level", level},
                            {"about", name_of(found.target)},
                            {"measured_from", found.measured_from},
                            {"coefficients", to_json(fit.coefficients)},
                            {"standard_errors", to_json(fit.standard_errors)},
                            {"low", to_json(fit.low)},
                            {"high", to_json(fit.high)},
                            {"uncorrected", to_json(fit.uncorrected)},
                            {"residual_sd", fit.residual_sd},
                            {"sampling_factor", found.sampling_factor},
                            {"missing_cells", found.missing_cells}}
                           .dump(2));
  }
  void print(const AnalysedRegression& found) const {
    const Regression& fit = found.fit;
    fmt::print("{} of {} on {} predictor{}, {:.0f} rows, corrected for the noise\n",
               ridge > 0.0 ? fmt::format("Ridge regression ({})", ridge) : "Least squares",
               response, fit.names.size(), fit.names.size() == 1 ? "" : "s", found.rows);
    fmt::print("  {:<28}{:>13}{:>13}{:>28}{:>14}\n", "", "coefficient", "std. error",
               fmt::format("{:g}% interval", 100.0 * level), "uncorrected");
    for (std::size_t j = 0; j < fit.names.size(); ++j) {
      const auto i = static_cast<Eigen::Index>(j);
      fmt::print("  {:<28}{:>13.5g}{:>13.3g}{:>14.5g}{:>14.5g}{:>14.5g}\n", fit.names[j],
                 fit.coefficients[i], fit.standard_errors[i], fit.low[i], fit.high[i],
                 fit.uncorrected[i]);
    }
    fmt::print("  residual standard deviation {:.4g}; intervals are about {}\n", fit.residual_sd,
               found.target == CoefficientTarget::RawData
                   ? "what the rows, clipped to their bounds, would have given"
                   : "the population that the rows, clipped to their bounds, were drawn from");
    if (const std::string words = sampling_in_words(found.sampling_factor); !words.empty()) {
      fmt::print("  {}\n", words);
    }
    fmt::print("  missing cells: {}\n", found.missing_cells);
    if (!found.intercept_words.empty()) {
      fmt::print("  {}\n", found.intercept_words);
    }
  }
};

struct PcaRequest {
  AnalyseOptions common;
  Eigen::Index components = 2;

  Outcome run() const {
    return common.read()
        .and_then([&](const ReleasedMoments& released) {
          return analyse_components(released, components);
        })
        .map([&](const AnalysedComponents& all) { common.json ? print_json(all) : print(all); });
  }

 private:
  static void print_json(const AnalysedComponents& all) {
    const ComponentEstimate& found = all.found;
    fmt::print("{}\n", Json{{"columns", all.names},
                            {"variance", to_json(found.variance)},
                            {"low", to_json(found.low)},
                            {"high", to_json(found.high)},
                            {"noise_edge", to_json(found.noise_edge)},
                            {"below_noise", found.below_noise},
                            {"clipped", found.clipped},
                            {"loadings", to_json(found.loadings)},
                            {"missing_cells", all.missing_cells}}
                           .dump(2));
  }
  static void print(const AnalysedComponents& all) {
    const ComponentEstimate& found = all.found;
    fmt::print("Principal components of {:.0f} rows {}\n", all.rows,
               all.about_mean ? "about their mean" : "about the public midpoint");
    fmt::print("  {:<10}{:>14}{:>28}{:>13}\n", "component", "variance", "95% limits, all together",
               "must exceed");
    for (Eigen::Index k = 0; k < found.variance.size(); ++k) {
      const auto j = static_cast<std::size_t>(k);
      fmt::print("  {:<10}{:>14.5g}{:>14.5g}{:>14.5g}{:>13.4g}{}{}\n", fmt::format("PC{}", k + 1),
                 found.variance[k], found.low[k], found.high[k], found.noise_edge[k],
                 found.below_noise[j] ? "   (cannot be told from noise)" : "",
                 found.clipped[j] ? "   (clipped to the largest the bounds allow)" : "");
    }
    fmt::print("  variances are noisy and tend to be too large; the limits {}\n",
               all.approximate_limits ? "are approximate, for the cells that are there"
                                      : "hold for the rows, clipped to their bounds");
    print_matrix(all.names, component_names(found.loadings.cols()), found.loadings);
    fmt::print("\nmissing cells: {}\n", all.missing_cells);
  }
};

template <class Request, class Declare>
Command part(std::string name, std::string summary, Declare declare) {
  return {std::move(name), std::move(summary), [declare](CLI::App& app) {
            auto request = std::make_shared<Request>();
            request->common.declare(app);
            declare(app, *request);
            return [request] { return request->run(); };
          }};
}

/// Closer to 0 or 1 a level says nothing that rows could check, and its quantiles run off.
CLI::Validator sensible_level() {
  return {[](const std::string& text) {
            double value = 0.0;
            const char* end = text.data() + text.size();
            const auto [stopped, failure] = std::from_chars(text.data(), end, value);
            const bool sound =
                stopped == end && failure == std::errc() && value >= 0.01 && value <= 0.999999;
            return sound ? std::string() : std::string("must be a number from 0.01 to 0.999999");
          },
          ""};
}

}  // namespace

Command analyse_command() {
  return command_group(
      "analyse",
      "Estimates with standard errors from pseudo-data or a released covariance; costs no budget.\n"
      "  eigenveil analyse regress out/ --response income --predictors intercept,age",
      {part<MomentsRequest>("moments", "covariance (or second moment) and correlations",
                            [](CLI::App& app, MomentsRequest& request) {
                              app.add_flag("--second-moment", request.second,
                                           "about the public midpoint even where means are known");
                            }),
       part<RegressCommandRequest>(
           "regress", "least squares or ridge with confidence intervals",
           [](CLI::App& app, RegressCommandRequest& request) {
             app.add_option("--response", request.response, "column to explain")->required();
             app.add_option("--predictors", request.predictors,
                            "columns that explain it, a,b,c or @FILE; 'intercept' is a column")
                 ->required();
             app.add_option("--ridge", request.ridge,
                            "added to the diagonal of the predictors' second moment (default 0)");
             app.add_option("--level", request.level, "of the intervals (default 0.95)")
                 ->check(sensible_level());
             app.add_option("--about", request.about,
                            "population (default) or raw: what the intervals cover")
                 ->check(one_of({"population", "raw"}));
           }),
       part<PcaRequest>("pca", "principal components with limits for their variances",
                        [](CLI::App& app, PcaRequest& request) {
                          app.add_option("-k,--components", request.components,
                                         "number of components (default 2)")
                              ->check(whole_number(1));
                        })});
}

}  // namespace eigenveil::cli
