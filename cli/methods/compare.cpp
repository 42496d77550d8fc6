#include "cli/methods/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "eigenveil/report/figure.hpp"

namespace eigenveil::cli {
namespace {

Figure comparison_figure(const std::vector<ComparedMethod>& methods, double sampling) {
  FigureSeries bars{.name = "predicted error", .kind = SeriesKind::Bars};
  FigurePanel panel;
  for (const ComparedMethod& method : methods) {
    if (method.predicted.available) {
      panel.x.categories.push_back(method.name +
                                   (holds_under_a_model_only(method.predicted) ? " (model)" : ""));
      bars.x.push_back(static_cast<double>(panel.x.categories.size()));
      bars.y.push_back(std::sqrt(method.total_f2));
    }
  }
  panel.x.label = "method";
  panel.y.label = "|UU' - VV'|_F, predicted";
  panel.series = {bars};
  panel.lines = {{true, std::sqrt(sampling), "without privacy"}};
  return {.title = "Predicted error of every method",
          .description =
              "Bars of the predicted error of each method at the same budget; the line "
              "is what sampling alone costs.",
          .panels = {panel},
          .notes = {{.text = "(model): holds with high probability under a model only",
                     .level = NoteLevel::Caution}}};
}

std::string reason(const std::vector<ComparedMethod>& methods, const ComparedMethod& best) {
  for (const ComparedMethod& other : methods) {
    if (other.predicted.available && other.name != best.name &&
        !holds_under_a_model_only(other.predicted)) {
      return fmt::format(
          "predicted error {:.3g}, the next method that holds for every data set "
          "({}) has {:.3g}",
          std::sqrt(best.total_f2), other.name, std::sqrt(other.total_f2));
    }
  }
  return fmt::format("predicted error {:.3g}; no other method applies", std::sqrt(best.total_f2));
}

void print_table(const std::vector<ComparedMethod>& methods, double sampling) {
  fmt::print("  {:<16}{:>10}{:>12}  {:<18}{}\n", "method", "error", "from noise", "neighbours",
             "rests on");
  for (const ComparedMethod& method : methods) {
    if (!method.predicted.available) {
      fmt::print("  {:<16}{:>10}{:>12}  {:<18}{}\n", method.name, "-", "-",
                 name_of(method.predicted.relation), method.predicted.note);
      continue;
    }
    fmt::print("  {:<16}{:>10.4f}{:>12.4f}  {:<18}{}; {}\n", method.name,
               std::sqrt(method.total_f2), std::sqrt(method.predicted.error_f2),
               name_of(method.predicted.relation), name_of(method.predicted.basis),
               method.predicted.note);
  }
  fmt::print("  {:<16}{:>10.4f}\n", "without privacy", std::sqrt(sampling));
}

void print_recommendation(const std::vector<ComparedMethod>& methods) {
  const ComparedMethod* best = recommended(methods, false);
  if (best == nullptr) {
    fmt::print("  no method that holds for every data set can predict its error here\n");
  } else {
    fmt::print("  recommended: {} ({})\n", best->name, reason(methods, *best));
  }
  const ComparedMethod* modelled = recommended(methods, true);
  if (modelled != nullptr && modelled != best) {
    fmt::print("  {} would have {:.3g}, if a guarantee under its model is enough\n", modelled->name,
               std::sqrt(modelled->total_f2));
  }
}

nlohmann::ordered_json as_json(const std::vector<ComparedMethod>& methods, double sampling) {
  nlohmann::ordered_json json = {{"sampling_error_f2", sampling}};
  for (const ComparedMethod& method : methods) {
    nlohmann::ordered_json line = {{"method", method.name},
                                   {"relation", name_of(method.predicted.relation)},
                                   {"basis", name_of(method.predicted.basis)},
                                   {"note", method.predicted.note}};
    if (method.predicted.available) {
      line["predicted_error_f2"] = method.predicted.error_f2;
      line["total_error_f2"] = method.total_f2;
    }
    json["methods"].push_back(line);
  }
  const ComparedMethod* best = recommended(methods, false);
  json["recommended"] = best != nullptr ? nlohmann::ordered_json(best->name) : nullptr;
  return json;
}

Result<AssumedSetting> assumed_setting(const PlanRequest& request) {
  const Result<Schema> schema = request.schema();
  if (!schema) {
    return error_of(schema);
  }
  if (request.spectrum_file.empty()) {
    return bad_request(
        "--compare predicts errors for an assumed spectrum: give --spectrum FILE, with the "
        "eigenvalues of the covariance in scaled units, one per line");
  }
  const Result<void> fits = request.what.check_components(schema->dimension());
  const Result<Vector> spectrum = request.spectrum(schema->dimension());
  const Result<RowBound> bound = request.what.bounds.bound(*schema);
  const Result<Budget> budget = request.what.budget.budget();
  const Result<Relation> relation = request.what.budget.relation();
  if (!fits || !spectrum || !bound) {
    return !fits ? error_of(fits) : (!spectrum ? error_of(spectrum) : error_of(bound));
  }
  if (!budget || !relation) {
    return !budget ? error_of(budget) : error_of(relation);
  }
  if (request.what.components >= spectrum->size()) {
    return bad_request("--compare needs -k below the number of columns");
  }
  return AssumedSetting{request.rows, request.what.components, *bound, *budget, *relation,
                        *spectrum};
}

}  // namespace

std::vector<ComparedMethod> compared(const MethodChoice& choice, const AssumedSetting& setting) {
  std::vector<ComparedMethod> methods;
  for (const std::unique_ptr<Method>& method : choice.all()) {
    if (std::optional<PredictedError> predicted = method->predicted_error(setting)) {
      methods.push_back({method->name(), *std::move(predicted)});
    }
  }
  return ranked(std::move(methods), setting);
}

Outcome compare_methods(const PlanRequest& request, const MethodChoice& choice) {
  const Result<AssumedSetting> setting = assumed_setting(request);
  if (!setting) {
    return error_of(setting);
  }
  const std::vector<ComparedMethod> methods = compared(choice, *setting);
  const double sampling =
      sampling_error(setting->spectrum, setting->components, static_cast<double>(setting->rows));
  if (!request.figure_folder.empty()) {
    const Result<void> drawn =
        write_figure(comparison_figure(methods, sampling), request.figure_folder, "comparison");
    if (!drawn) {
      return drawn;
    }
  }
  if (request.json) {
    fmt::print("{}\n", as_json(methods, sampling).dump(2));
    return {};
  }
  fmt::print("Predicted |UU' - VV'|_F for pca: {} rows, {} columns, k = {} (no data was read)\n",
             request.rows, setting->spectrum.size(), setting->components);
  print_table(methods, sampling);
  print_recommendation(methods);
  return {};
}

}  // namespace eigenveil::cli
