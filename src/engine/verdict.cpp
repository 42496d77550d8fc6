#include "engine/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/column_names.hpp"
#include "mechanism/moment/component_verdicts.hpp"

namespace eigenveil {
namespace {

/// The total variance of rows that fill the bounds: cells spread evenly between their ranges (a
/// third of the squares of the half widths), or rows as long as their norm. The bounds alone would
/// allow cells at their ends and nowhere else.
double spread_variance(const RowBound& bound, Units units) {
  return bound.has_ranges() ? column_scales(bound, units).squaredNorm() / 3.0
                            : bound.radius() * bound.radius();
}

/// The share that the first of p components has where the j-th variance is 1/j of the first.
double first_of_power_law(std::size_t columns) {
  double harmonic = 0.0;
  for (std::size_t j = 1; j <= columns; ++j) {
    harmonic += 1.0 / static_cast<double>(j);
  }
  return 1.0 / harmonic;
}

/// What can stand out of the noise, from public numbers.
struct Standing {
  double needed;       ///< variance whose released loading is half signal
  double possible;     ///< of the k-th component of any table within the bounds, at most
  double equal_parts;  ///< of each of k components that share half of the variance of spread rows
  double power_law;    ///< of the first component, where variances fall like 1/j
};

/// A direction of variance v comes out of noise of spectral norm f with squared cosine
/// 1 - (t / v)^2 in tables of many columns, t = f / 2 for independent entries (Benaych-Georges,
/// Nadakuditi 2011; Peche 2006): nothing below t, one half at sqrt(2) t. The variances of the k
/// largest components add up to the square of the longest row at most, so the k-th has a k-th of
/// it. Rows inside of a public basis are in coordinates that were chosen to hold much: no power law
/// for those.
Standing standing(const Request& request, const PublicFacts& facts, double detectable,
                  std::int64_t wanted) {
  const auto k = static_cast<double>(wanted);
  const RowBound& bound = facts.outside ? facts.outside->bound : facts.bound;
  const double total = spread_variance(bound, request.units);
  const double first = facts.keeps_columns ? first_of_power_law(bound.dimension()) : 1.0;
  return {std::sqrt(2.0) * detectable, largest_variance(bound, request.units) / k, 0.5 * total / k,
          first * total};
}

/// Why nothing can be hoped for; empty where something can.
std::string hopeless(const Standing& found, std::int64_t wanted) {
  const std::string which =
      wanted == 1 ? std::string("one component") : fmt::format("{} components", wanted);
  if (found.possible < found.needed) {
    return fmt::format("no table within these bounds has {} above {:.3g}", which, found.possible);
  }
  if (found.equal_parts < found.needed) {
    return fmt::format(
        "in rows spread over these bounds {} with half of the variance would have {:.3g}{}", which,
        found.equal_parts, wanted == 1 ? "" : " each");
  }
  if (found.power_law < found.needed) {
    return fmt::format(
        "in rows spread over these bounds whose j-th variance is 1/j of the first, the first is "
        "{:.3g}",
        found.power_law);
  }
  return {};
}

/// Noise on a variance falls with the number of rows: how many do, up to two digits.
double rows_enough(const Standing& found, std::int64_t rows) {
  const double least = std::min({found.possible, found.equal_parts, found.power_law});
  const double exact = static_cast<double>(rows) * found.needed / least;
  const double digit = std::pow(10.0, std::floor(std::log10(exact)) - 1.0);
  return std::ceil(exact / digit) * digit;
}

}  // namespace

Result<void> verdict(const Method& method, const Request& request, const PublicFacts& facts,
                     std::optional<std::int64_t> rows) {
  if (facts.counted || !method.info().takes_counted_rows) {  // noise on a moment alone has a floor
    return {};
  }
  AssumedTable table;
  table.schema = facts.schema;
  table.rows = rows.value_or(kUndeclaredRows);
  table.bound = [&](const auto&) { return Result<RowBound>(facts.bound); };
  if (facts.outside) {
    table.prepared = facts;
  }
  const Result<PlanFacts> planned = method.outlook(request, table);
  if (!planned) {
    return error_of(planned);
  }
  const auto numbers = nlohmann::ordered_json::parse(planned->json);
  if (!numbers.contains("detectable_eigenvalue")) {
    return {};
  }
  const double detectable = numbers["detectable_eigenvalue"].get<double>();
  const std::int64_t wanted = request.takes_rank() ? request.components : 1;
  const Standing found = standing(request, facts, detectable, wanted);
  const std::string reason = hopeless(found, wanted);
  if (reason.empty()) {
    return {};
  }
  const std::string enough =
      fmt::format("about {:.0f} rows would do", rows_enough(found, table.rows));
  const std::string why = fmt::format(
      "noise would outweigh the result: a direction needs a variance of about {:.3g} "
      "to come out with a squared cosine of 1/2 (theory of many columns), and {}",
      found.needed, reason);
  const std::string help =
      "fewer columns, a public basis ({project}), tighter bounds or a larger budget help, {anyway} "
      "spends all the same";
  return rows
             ? bad_request(fmt::format("at {} rows {}; {}, {}", *rows, why, enough, help), "anyway")
             : bad_request(fmt::format("nobody said how many rows there are, and at {} {}; {}: if "
                                       "there are as many say {{people N}}, about, as the public "
                                       "knows it and not by counting; else {}",
                                       table.rows, why, enough, help),
                           "people");
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
  const auto named =
      std::find_if(schema.columns.begin(), schema.columns.end(), names_an_identifier);
  if (named != schema.columns.end()) {
    lines.push_back(fmt::format(
        "column {} is named like an identifier, which has no covariance worth noise: leave it out "
        "with {{exclude}}",
        *named));
  }
  return lines;
}

}  // namespace eigenveil
