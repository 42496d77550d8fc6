#include "engine/compare.hpp"

#include <fmt/format.h>

#include <cmath>

namespace eigenveil {

std::vector<Scenario> named_scenarios(const RowBound& bound, Eigen::Index components) {
  const auto p = static_cast<Eigen::Index>(bound.dimension());
  const double total = bound.radius() * bound.radius() / 3.0;
  const Eigen::Index k = std::min(components, p);
  // Half of the variance in the components, equal among themselves, half in all directions.
  Vector strong = Vector::Constant(p, 0.5 * total / static_cast<double>(p));
  strong.head(k).array() += 0.5 * total / static_cast<double>(k);
  Vector power(p);
  for (Eigen::Index j = 0; j < p; ++j) {
    power[j] = 1.0 / static_cast<double>(j + 1);
  }
  power *= total / power.sum();
  // Exactly flat has no components at all: ten per cent above the others.
  Vector flat = Vector::Ones(p);
  flat.head(k).array() = 1.1;
  flat *= total / flat.sum();
  return {{fmt::format("{} strong component{}: half of the variance, the rest spread evenly", k,
                       k == 1 ? "" : "s"),
           strong},
          {"power law: the j-th variance is 1/j of the first", power},
          {"flat: components ten per cent above the rest", flat}};
}

Result<AssumedSetting> assumed_setting(const Request& request, const AssumedTable& table) {
  if (table.prepared && table.prepared->counted) {
    return bad_request(
        "methods are compared for rows that count once: plan {weights}, {missing pairwise}, and "
        "{person} under replace-one, for one method at a time",
        "method");
  }
  if (table.spectrum.size() == 0) {
    return bad_request(
        "a prediction is for an assumed spectrum: give {spectrum}, with the eigenvalues of the "
        "covariance in scaled units",
        "spectrum");
  }
  if (const Result<void> fits = request.check_components(table.schema.dimension()); !fits) {
    return error_of(fits);
  }
  if (const Result<void> fits = check_spectrum(request, table); !fits) {
    return error_of(fits);
  }
  const Result<RowBound> bound = table.bound({});
  if (!bound) {
    return error_of(bound);
  }
  if (request.components >= table.spectrum.size()) {
    return bad_request("a comparison needs {components} below the number of columns", "components");
  }
  const bool private_mean = request.private_mean() ||
                            (request.center == CenterChoice::Unsaid && !request.arrives_centred);
  return AssumedSetting{table.rows,
                        request.components,
                        *bound,
                        *request.budget,
                        request.relation,
                        table.spectrum,
                        request.group_size,
                        private_mean ? Extension::Full : Extension::Count};
}

namespace {

/// Defaults first: of (epsilon, delta), then of pure budgets.
int place_of(DefaultFor is_default_for) {
  switch (is_default_for) {
    case DefaultFor::OtherBudgets:
    case DefaultFor::EveryBudget:
      return 0;
    case DefaultFor::PureBudgets:
      return 1;
    case DefaultFor::Nothing:
      break;
  }
  return 2;
}

std::vector<ComparedMethod> predicted_methods(const Request& request,
                                              const AssumedSetting& setting) {
  std::vector<ComparedMethod> methods;
  for (const Method* method : methods_for(request.task)) {
    if (std::optional<PredictedError> predicted = method->predicted_error(request, setting)) {
      methods.push_back({.name = method->info().name,
                         .predicted = *std::move(predicted),
                         .place = place_of(method->info().is_default_for)});
    }
  }
  return methods;
}

}  // namespace

MethodComparison compare_methods(const Request& request, const AssumedSetting& setting,
                                 bool with_trials) {
  std::vector<ComparedMethod> methods = predicted_methods(request, setting);
  if (!with_trials) {
    for (ComparedMethod& method : methods) {
      method.predicted.trial = {};
    }
  }
  return compared(std::move(methods), setting);
}

MethodComparison compare_promised(const Request& request, const AssumedSetting& setting) {
  std::vector<ComparedMethod> methods = predicted_methods(request, setting);
  std::erase_if(methods, [&](const ComparedMethod& method) {
    return !method.predicted.available || !keeps_the_promise(setting.relation, method);
  });
  return compared(std::move(methods), setting);
}

Result<std::vector<NamedComparison>> compare_on(const Request& request, AssumedTable table) {
  if (request.options.flag("correlation")) {
    return bad_request(
        "methods are compared by their components of the covariance: leave out {correlation}",
        "correlation");
  }
  std::vector<Scenario> scenarios = {{"", table.spectrum}};
  if (table.spectrum.size() == 0) {
    const Result<RowBound> bound = table.bound({});
    if (!bound) {
      return error_of(bound);
    }
    scenarios = named_scenarios(*bound, request.components);
  }
  std::vector<NamedComparison> all;
  for (Scenario& scenario : scenarios) {
    table.spectrum = std::move(scenario.spectrum);
    const Result<AssumedSetting> setting = assumed_setting(request, table);
    if (!setting) {
      return error_of(setting);
    }
    all.push_back(
        {std::move(scenario.name), setting->spectrum.size(), compare_methods(request, *setting)});
  }
  return all;
}

nlohmann::ordered_json comparison_json(const MethodComparison& comparison,
                                       const std::function<std::string(std::string_view)>& spell) {
  nlohmann::ordered_json json = {{"sampling_error_f2", comparison.sampling_f2},
                                 {"worst_error_f2", comparison.worst_f2},
                                 {"made_up_tables", comparison.tables}};
  for (const ComparedMethod& method : comparison.methods) {
    nlohmann::ordered_json line = {{"method", method.name},
                                   {"relation", name_of(method.predicted.relation)},
                                   {"basis", name_of(method.predicted.basis)},
                                   {"under_a_model", under_a_model(method)},
                                   {"note", spell(method.predicted.note)}};
    if (method.predicted.available) {
      line["predicted_error_f2"] = method.predicted.error_f2;
      line["total_error_f2"] = method.total_f2;
      line["null_share"] = method.null_share;
    }
    json["methods"].push_back(line);
  }
  const ComparedMethod* best = recommended(comparison, false);
  json["recommended"] = best != nullptr ? nlohmann::ordered_json(best->name) : nullptr;
  json["reason"] = recommendation(comparison);
  return json;
}

nlohmann::ordered_json comparison_json(const std::vector<NamedComparison>& all,
                                       const std::function<std::string(std::string_view)>& spell) {
  if (all.size() == 1 && all.front().scenario.empty()) {
    return comparison_json(all.front().methods, spell);
  }
  nlohmann::ordered_json json;
  for (const NamedComparison& one : all) {
    json["scenarios"].push_back(comparison_json(one.methods, spell));
    json["scenarios"].back()["scenario"] = one.scenario;
  }
  return json;
}

}  // namespace eigenveil
