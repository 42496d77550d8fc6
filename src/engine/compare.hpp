#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "eigenveil/engine/registry.hpp"
#include "mechanism/comparison/comparison.hpp"

namespace eigenveil {

/// What a comparison rests on: sizes, bound, budget and the assumed spectrum, all checked.
Result<AssumedSetting> assumed_setting(const Request& request, const AssumedTable& table);

/// Spectra for tables nobody knows one of: as much variance as the bounds let cells have that are
/// spread evenly between them (a third of R^2), in k components, falling like a power, or flat.
struct Scenario {
  std::string name;
  Vector spectrum;
};
std::vector<Scenario> named_scenarios(const RowBound& bound, Eigen::Index components);

/// Every method of the request's task on it, best first; by first-order formulas alone without
/// `with_trials`.
MethodComparison compare_methods(const Request& request, const AssumedSetting& setting,
                                 bool with_trials = true);

/// The methods alone that may be recommended for these neighbours and this budget: the same choice,
/// without the time of the others.
MethodComparison compare_promised(const Request& request, const AssumedSetting& setting);

/// One on the spectrum of the table; where that has none, one on every scenario.
struct NamedComparison {
  std::string scenario;  ///< empty: the spectrum that was given
  Eigen::Index columns = 0;
  MethodComparison methods;
};
Result<std::vector<NamedComparison>> compare_on(const Request& request, AssumedTable table);

/// The comparison for machines; `spell` writes the parameters that notes name as a face does.
nlohmann::ordered_json comparison_json(const MethodComparison& comparison,
                                       const std::function<std::string(std::string_view)>& spell);
nlohmann::ordered_json comparison_json(const std::vector<NamedComparison>& all,
                                       const std::function<std::string(std::string_view)>& spell);

}  // namespace eigenveil
