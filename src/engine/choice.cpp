#include "engine/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/compare.hpp"

namespace eigenveil {
namespace {

/// Made-up tables have independent rows about one mean, and all of a row's columns.
bool compares(const Method& method, const Request& request, const AssumedTable& table) {
  return request.wants_components() && method.info().entry_noise != NoiseOnEntries::None &&
         table.spectrum.size() > request.components && !request.options.flag("correlation") &&
         !(table.prepared && (table.prepared->counted || table.prepared->outside));
}

const ComparedMethod* method_of(const MethodComparison& comparison, const std::string& name) {
  const auto found = std::find_if(comparison.methods.begin(), comparison.methods.end(),
                                  [&](const ComparedMethod& each) { return each.name == name; });
  return found == comparison.methods.end() ? nullptr : &*found;
}

/// First order says too much where a good part of the directions is lost.
void say_tried_error(PlanFacts& facts, nlohmann::ordered_json& json,
                     const MethodComparison& comparison, double tried) {
  json["total_error_f2"] = tried;
  json["sampling_error_f2"] = comparison.sampling_f2;
  json["made_up_tables"] = comparison.tables;
  for (FactLine& line : facts.lines) {
    if (line.label == "error") {
      line.text = fmt::format(
          "|UU' - VV'|_F^2 about {:.4g} (worst {:.0f}; mean of {} made-up tables with this "
          "spectrum); sampling alone {:.4g}, the noise to first order {:.4g}",
          tried, comparison.worst_f2, comparison.tables, comparison.sampling_f2,
          json["predicted_error_f2"].get<double>());
    }
  }
}

void say_choice(PlanFacts& facts, const ComparedMethod& best, bool private_mean) {
  const std::vector<const Method*> methods = methods_for(Task::Components);
  const auto method = std::find_if(methods.begin(), methods.end(), [&](const Method* each) {
    return each->info().name == best.name;
  });
  const bool elsewhere = private_mean && !(*method)->info().subtracts_mean;
  facts.lines.push_back(
      {"choice", fmt::format("{{method {}}} would have about {:.4g}{}", best.name, best.total_f2,
                             elsewhere ? ", about the public midpoint" : "")});
}

void add_choice(PlanFacts& facts, const std::string& method, const Request& request,
                const AssumedSetting& setting) {
  const MethodComparison comparison = compare_promised(request, setting);
  const ComparedMethod* best = recommended(comparison, false);
  const ComparedMethod* planned = method_of(comparison, method);
  if (best == nullptr || planned == nullptr) {
    return;
  }
  auto json = nlohmann::ordered_json::parse(facts.json);
  if (comparison.tables > 0) {
    say_tried_error(facts, json, comparison, planned->total_f2);
  }
  json["recommended_method"] = best->name;
  if (best != planned) {
    say_choice(facts, *best, setting.extension == Extension::Full);
  }
  facts.json = json.dump(2);
}

}  // namespace

Result<PlanFacts> outlook_with_choice(const Request& request, const AssumedTable& table) {
  Result<PlanFacts> facts = outlook(request, table);
  const Result<const Method*> method = choose_method(request);
  if (!facts || !method || !compares(**method, request, table)) {
    return facts;
  }
  if (const Result<AssumedSetting> setting = assumed_setting(request, table)) {
    add_choice(*facts, (*method)->info().name, request, *setting);
  }
  return facts;
}

}  // namespace eigenveil
