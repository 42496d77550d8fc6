#include "cli/commands/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/parameter_names.hpp"
#include "engine/compare.hpp"
#include "mechanism/comparison/comparison.hpp"
#include "report/figure.hpp"

namespace eigenveil::cli {
namespace {

/// Why a method is shown and not recommended; empty for the others.
std::string aside(const MethodComparison& comparison, const ComparedMethod& method) {
  if (under_a_model(method)) {
    return " (model)";
  }
  if (method.predicted.pure_instead) {
    return " (pure)";
  }
  return keeps_the_promise(comparison, method)
             ? ""
             : fmt::format(" ({})", name_of(method.predicted.relation));
}

Figure comparison_figure(const MethodComparison& comparison) {
  FigureSeries bars{.name = "predicted error", .kind = SeriesKind::Bars};
  FigurePanel panel;
  for (const ComparedMethod& method : comparison.methods) {
    if (method.predicted.available) {
      panel.x.categories.push_back(method.name + aside(comparison, method));
      bars.x.push_back(static_cast<double>(panel.x.categories.size()));
      bars.y.push_back(std::sqrt(method.total_f2));
    }
  }
  panel.x.label = "method";
  panel.y.label = "|UU' - VV'|_F, predicted";
  panel.y.scale = Scale::Log10;
  panel.y.low = 0.5 * std::sqrt(comparison.sampling_f2);
  panel.series = {bars};
  panel.lines = {{true, std::sqrt(comparison.sampling_f2), "sampling alone"},
                 {true, std::sqrt(comparison.worst_f2), "nothing in common"}};
  const ComparedMethod* best = recommended(comparison, false);
  std::vector<FigureNote> notes = {{.text = recommendation(comparison)}};
  if (std::any_of(comparison.methods.begin(), comparison.methods.end(), [](const auto& method) {
        return method.predicted.available && under_a_model(method);
      })) {
    notes.push_back(
        {.text = "(model): holds under a model or in the limit, not for every data set"});
  }
  return {.title = best != nullptr ? "Predicted error of every method: take " + best->name
                                   : "Predicted error of every method",
          .description =
              "Bars of the predicted error of each method at the same budget; the lines are what "
              "sampling alone costs and the worst possible error.",
          .panels = {panel},
          .notes = std::move(notes)};
}

void print_table(const MethodComparison& comparison) {
  fmt::print("  {:<16}{:>10}{:>12}  {:<18}{}\n", "method", "error", "from noise", "neighbours",
             "rests on");
  for (const ComparedMethod& method : comparison.methods) {
    if (!method.predicted.available) {
      fmt::print("  {:<16}{:>10}{:>12}  {:<18}{}\n", method.name, "-", "-",
                 name_of(method.predicted.relation), for_command_line(method.predicted.note));
      continue;
    }
    fmt::print("  {:<16}{:>10.4f}{:>12.4f}  {:<18}{}; {}\n", method.name,
               std::sqrt(method.total_f2), std::sqrt(method.predicted.error_f2),
               name_of(method.predicted.relation), name_of(method.predicted.basis),
               for_command_line(method.predicted.note));
  }
  fmt::print("  {:<16}{:>10.4f}\n", "without privacy", std::sqrt(comparison.sampling_f2));
}

/// Methods with less error than the recommended one, and what one would have to accept for them.
void print_asides(const MethodComparison& comparison) {
  const ComparedMethod* best = recommended(comparison, false);
  for (const ComparedMethod& method : comparison.methods) {
    if (!method.predicted.available || keeps_the_promise(comparison, method) ||
        (best != nullptr && method.total_f2 >= best->total_f2)) {
      continue;
    }
    fmt::print("  {} would have {:.3g}, if {}\n", method.name, std::sqrt(method.total_f2),
               under_a_model(method) ? std::string("a guarantee under its model is enough")
               : method.predicted.pure_instead
                   ? std::string("a pure loss may be charged: more detection power for the same "
                                 "epsilon (plan without --compare says how much)")
                   : fmt::format("{} neighbours are enough", name_of(method.predicted.relation)));
  }
}

Outcome draw_comparison(const MethodComparison& comparison, const std::string& folder) {
  if (folder.empty()) {
    return {};
  }
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return input_output_error(fmt::format("cannot create {}: {}", folder, error.message()));
  }
  return write_figure(comparison_figure(comparison), folder, "comparison");
}

void print_words(const MethodComparison& comparison) {
  print_table(comparison);
  fmt::print("  {}\n", recommendation(comparison));
  print_asides(comparison);
}

void print_title(const AssumedTable& table, const AssumedSetting& setting) {
  fmt::print("Predicted |UU' - VV'|_F for pca: {} rows, {} columns, k = {} (no data was read)\n",
             table.rows, setting.spectrum.size(), setting.components);
}

/// No spectrum is known: three of them, since the best method depends on it.
Outcome print_scenarios(const Request& request, AssumedTable table, bool json) {
  const Result<RowBound> bound = table.bound({});
  if (!bound) {
    return error_of(bound);
  }
  nlohmann::ordered_json all;
  for (const Scenario& scenario : named_scenarios(*bound, request.components)) {
    table.spectrum = scenario.spectrum;
    const Result<AssumedSetting> setting = assumed_setting(request, table);
    if (!setting) {
      return error_of(setting);
    }
    const MethodComparison comparison = compare_methods(request, *setting);
    if (json) {
      nlohmann::ordered_json one = comparison_json(comparison, for_command_line);
      one["scenario"] = scenario.name;
      all["scenarios"].push_back(std::move(one));
      continue;
    }
    if (all.empty()) {
      print_title(table, *setting);
      fmt::print(
          "  no --spectrum was given, so three are assumed, each with a third of the squared "
          "norm that the bounds allow as its variance\n");
      all["printed"] = true;
    }
    fmt::print("\n  {}\n", scenario.name);
    print_words(comparison);
  }
  if (json) {
    fmt::print("{}\n", all.dump(2));
  }
  return {};
}

}  // namespace

Outcome print_comparison(const Request& request, const AssumedTable& table,
                         const std::string& figure_folder, bool json) {
  if (table.spectrum.size() == 0 && figure_folder.empty()) {
    return print_scenarios(request, table, json);
  }
  const Result<AssumedSetting> setting = assumed_setting(request, table);
  if (!setting) {
    return error_of(setting);
  }
  const MethodComparison comparison = compare_methods(request, *setting);
  if (const Outcome drawn = draw_comparison(comparison, figure_folder); !drawn) {
    return drawn;
  }
  if (json) {
    fmt::print("{}\n", comparison_json(comparison, for_command_line).dump(2));
    return {};
  }
  print_title(table, *setting);
  fmt::print("  {}\n",
             comparison.tables > 0
                 ? fmt::format("every method was tried on {} made-up Gaussian tables with this "
                               "spectrum",
                               comparison.tables)
                 : "by first-order formulas: too many columns to try the methods");
  print_words(comparison);
  return {};
}

}  // namespace eigenveil::cli
