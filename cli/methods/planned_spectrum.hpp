#pragma once

#include <nlohmann/json.hpp>

#include "cli/methods/request.hpp"
#include "cli/summary.hpp"

namespace eigenveil::cli {

/// A plan made for an assumed table: `make_plan` sees the bound, `say` gets the plan and the
/// assumed eigenvalues (empty when none were given).
template <class MakePlan, class Say>
Outcome plan_for_spectrum(const PlanRequest& request, const MakePlan& make_plan, const Say& say) {
  const Result<Schema> schema = request.schema();
  if (!schema) {
    return error_of(schema);
  }
  const Result<Vector> spectrum = request.spectrum(schema->dimension());
  if (!spectrum) {
    return error_of(spectrum);
  }
  return request.what.bounds.bound(*schema).and_then(make_plan).map(
      [&](const auto& plan) { say(plan, *spectrum); });
}

/// What every plan says first.
inline nlohmann::ordered_json plan_head(const PlanRequest& request, const std::string& method,
                                        const Guarantee& guarantee) {
  return {{"task", name_of(request.what.task)},
          {"method", method},
          {"guarantee", headline(guarantee, *request.what.budget.budget())},
          {"in_words", detection_in_words(guarantee)}};
}

}  // namespace eigenveil::cli
