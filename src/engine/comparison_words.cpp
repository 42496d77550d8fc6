#include "engine/comparison_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace eigenveil {
namespace {

template <class... Parts>
void append(std::string& text, fmt::format_string<Parts...> format, Parts&&... parts) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Parts>(parts)...);
}

/// Why a method is shown and not recommended; empty for the others.
std::string aside(const MethodComparison& comparison, const ComparedMethod& method) {
  if (under_a_model(method)) {
    return " (model)";
  }
  if (method.predicted.pure_instead) {
    return " (pure)";
  }
  return keeps_the_promise(comparison.relation, method)
             ? ""
             : fmt::format(" ({})", name_of(method.predicted.relation));
}

void add_table(std::string& text, const MethodComparison& comparison) {
  append(text, "  {:<16}{:>10}{:>12}  {:<18}{}\n", "method", "error", "from noise", "neighbours",
         "rests on");
  for (const ComparedMethod& method : comparison.methods) {
    if (!method.predicted.available) {
      append(text, "  {:<16}{:>10}{:>12}  {:<18}{}\n", method.name, "-", "-",
             name_of(method.predicted.relation), method.predicted.note);
      continue;
    }
    append(text, "  {:<16}{:>10.4f}{:>12.4f}  {:<18}{}; {}\n", method.name,
           std::sqrt(method.total_f2), std::sqrt(method.predicted.error_f2),
           name_of(method.predicted.relation), name_of(method.predicted.basis),
           method.predicted.note);
  }
  append(text, "  {:<16}{:>10.4f}\n", "without privacy", std::sqrt(comparison.sampling_f2));
}

/// Methods with less error than the recommended one, and what one would have to accept for them.
void add_asides(std::string& text, const MethodComparison& comparison) {
  const ComparedMethod* best = recommended(comparison, false);
  for (const ComparedMethod& method : comparison.methods) {
    if (!method.predicted.available || keeps_the_promise(comparison.relation, method) ||
        (best != nullptr && method.total_f2 >= best->total_f2)) {
      continue;
    }
    append(text, "  {} would have {:.3g}, if {}\n", method.name, std::sqrt(method.total_f2),
           under_a_model(method) ? std::string("a guarantee under its model is enough")
           : method.predicted.pure_instead
               ? std::string("a pure loss may be charged: more detection power for the same "
                             "epsilon (plan without {compare} says how much)")
               : fmt::format("{} neighbours are enough", name_of(method.predicted.relation)));
  }
}

void add_words(std::string& text, const MethodComparison& comparison) {
  add_table(text, comparison);
  append(text, "  {}\n", recommendation(comparison));
  add_asides(text, comparison);
}

}  // namespace

std::string in_words(const Request& request, const AssumedTable& table,
                     const std::vector<NamedComparison>& all) {
  std::string text;
  append(text, "Predicted |UU' - VV'|_F for pca: {} rows, {} columns, k = {} (no data was read)\n",
         table.rows, all.front().columns, request.components);
  if (table.spectrum.size() == 0) {
    append(
        text,
        "  no {{spectrum}} was given, so three are assumed, each with a third of the squared norm "
        "that the bounds allow as its variance\n");
  } else if (const int tables = all.front().methods.tables; tables > 0) {
    append(text, "  every method was tried on {} made-up Gaussian tables with this spectrum\n",
           tables);
  } else {
    append(text, "  by first-order formulas: too many columns to try the methods\n");
  }
  for (const NamedComparison& one : all) {
    if (!one.scenario.empty()) {
      append(text, "\n  {}\n", one.scenario);
    }
    add_words(text, one.methods);
  }
  return text;
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

}  // namespace eigenveil
