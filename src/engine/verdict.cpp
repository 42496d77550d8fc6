#include "engine/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mechanism/moment/component_verdicts.hpp"

namespace eigenveil {
namespace {

/// What components can hold of a table within the bound, generously: half of the variance, where
/// cells lie evenly between their ranges (a third of the squares of the half widths) or rows are as
/// long as their norm. The bounds alone would allow cells at their ends and nowhere else.
double generous_variance(const RowBound& bound, Units units) {
  return 0.5 * (bound.has_ranges() ? column_scales(bound, units).squaredNorm() / 3.0
                                   : bound.radius() * bound.radius());
}

bool is_identifier(const std::string& column) {
  std::string name;
  for (const char letter : column) {
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  constexpr std::array<std::string_view, 8> kNames = {"id",    "ssn",  "name", "email",
                                                      "phone", "uuid", "guid", "identifier"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() || name.ends_with("_id") ||
         name.ends_with(" id");
}

}  // namespace

Result<void> verdict(const Method& method, const Request& request, const PublicFacts& facts,
                     std::int64_t rows) {
  if (facts.counted || !method.info().takes_counted_rows) {  // noise on a moment alone has a floor
    return {};
  }
  AssumedTable table;
  table.schema = facts.schema;
  table.rows = rows;
  table.bound = [&](const auto&) { return Result<RowBound>(facts.bound); };
  const Result<PlanFacts> planned = method.outlook(request, table);
  if (!planned) {
    return error_of(planned);
  }
  const auto numbers = nlohmann::ordered_json::parse(planned->json);
  if (!numbers.contains("noise_floor")) {
    return {};
  }
  const double floor = numbers["noise_floor"].get<double>();
  const double held = generous_variance(facts.bound, request.units);
  const bool possible = floor < largest_variance(facts.bound, request.units);
  const auto shown = static_cast<std::int64_t>(possible ? held / floor : 0.0);
  const std::int64_t wanted = request.takes_rank() ? request.components : 1;
  if (shown >= wanted) {
    return {};
  }
  return bad_request(
      fmt::format("at {} rows noise alone shows variances up to about {:.3g}; components that hold "
                  "half of the variance of rows spread over these bounds would have {:.3g} in all, "
                  "so {} of {} component{} can show: fewer columns, a public basis ({{project}}), "
                  "tighter bounds or a larger budget help; {{anyway}} spends all the same",
                  rows, floor, held, shown == 0 ? "none" : fmt::format("at most {}", shown), wanted,
                  wanted == 1 ? "" : "s"),
      "anyway");
}

std::vector<std::string> public_warnings(const Request& request, const Schema& schema,
                                         std::optional<std::int64_t> rows) {
  std::vector<std::string> lines;
  const auto* pair = request.budget ? std::get_if<ApproxDp>(&*request.budget) : nullptr;
  const auto* pure = request.budget ? std::get_if<PureDp>(&*request.budget) : nullptr;
  if (pair != nullptr && rows && pair->delta * static_cast<double>(*rows) > 1.0) {
    lines.push_back(fmt::format(
        "delta {:g} is above one over the number of rows: publishing somebody's row whole would "
        "be within it",
        pair->delta));
  }
  const double epsilon = pair != nullptr ? pair->epsilon : pure != nullptr ? pure->epsilon : 0.0;
  if (epsilon > 10.0) {
    lines.push_back(fmt::format("epsilon {:g} hides next to nothing", epsilon));
  }
  const auto named = std::find_if(schema.columns.begin(), schema.columns.end(), is_identifier);
  if (named != schema.columns.end()) {
    lines.push_back(fmt::format(
        "column {} is named like an identifier, which has no covariance worth noise: leave it out "
        "with {{exclude}}",
        *named));
  }
  return lines;
}

}  // namespace eigenveil
