#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/options/checks.hpp"
#include "cli/options/request_options.hpp"
#include "publication/mask_facts.hpp"

namespace eigenveil::cli {
namespace {

/// `plan mask`: all noises a masked release could have, each with the relation it belongs to.
struct MaskPlanRequest {
  RequestOptions what;
  AssumedOptions assumed;
  bool json = false;
  std::int64_t smallest_block = 0;
  bool intercept = false;

  void declare(CLI::App& app);
  Outcome run() const;

 private:
  Result<void> check() const;
};

void MaskPlanRequest::declare(CLI::App& app) {
  what.task = Task::Covariance;
  what.budget.neighbours = "zero-row";
  assumed.declare(app);
  app.add_flag("--json", json, "for machines");
  what.declare(app);
  app.add_option("--smallest-block", smallest_block,
                 "rows of the smallest block, when shards are masked by themselves")
      ->check(whole_number(1, std::uint64_t{1} << 50));
  app.add_flag("--intercept", intercept, "with a column of ones, which counts in the row norm");
}

/// Refused as `mask` refuses it, or without a use here.
Result<void> MaskPlanRequest::check() const {
  if (what.bounds.private_mean()) {
    return bad_request(
        "pseudo-data has no private centre; give --intercept, and analyse subtracts the mean");
  }
  if (!assumed.spectrum_file.empty()) {
    return bad_request("the noise of mask does not depend on eigenvalues; leave out --spectrum");
  }
  if (smallest_block > assumed.rows) {
    return bad_request("--smallest-block has more rows than --rows says the table has");
  }
  return {};
}

/// The bounds of Ding et al. on noise without a mask come from an upper quantile that must be
/// positive.
bool has_published_bounds(const MaskFacts& facts) {
  return facts.unmasked.necessary > 0.0;
}

double own_gram_sd(const MaskFacts& facts, std::int64_t rows) {
  return facts.asked * facts.asked * std::sqrt(2.0 * static_cast<double>(rows));
}

nlohmann::ordered_json to_json(const MaskFacts& facts, std::int64_t rows) {
  const nlohmann::ordered_json none;
  const bool bounds = has_published_bounds(facts);
  return {{"task", "mask"},
          {"rows", rows},
          {"smallest_block", facts.shape.rows},
          {"dimension", facts.shape.dimension},
          {"row_norm", facts.shape.row_norm},
          {"epsilon", facts.target.epsilon},
          {"delta", facts.target.delta},
          {"neighbours", std::string(name_of(facts.relation))},
          {"group_size", facts.group_size},
          {"sigma_asked", facts.asked},
          {"sigma", facts.zero_row},
          {"sigma_relation", "zero-row: one row of norm at most row_norm against the zero row"},
          {"sigma_replace_one", facts.replace_one},
          {"sigma_replace_one_relation",
           "replace-one: one row of norm at most row_norm against another"},
          {"sigma_published", facts.general},
          {"sigma_published_relation",
           "zero-row by the general condition of Ding et al.; their own table has rows that move "
           "by at most 1"},
          {"unmasked_sigma_necessary",
           bounds ? nlohmann::ordered_json(facts.unmasked.necessary) : none},
          {"unmasked_sigma_sufficient",
           bounds ? nlohmann::ordered_json(facts.unmasked.sufficient) : none},
          {"unmasked_sigma_analytic", facts.unmasked.analytic},
          {"unmasked_relation",
           "zero-row; necessary and sufficient are for P(loss > epsilon) <= delta, analytic is for "
           "(epsilon, delta)-DP"},
          {"max_power_at_5pct", facts.max_power},
          {"gram_noise_sd_mask", own_gram_sd(facts, rows)},
          {"gram_noise_sd_mask_note",
           "on a diagonal entry of the sum over rows, plus 2 sigma |x_j| from the cross term"},
          {"gram_noise_sd_gauss", facts.gram_sd},
          {"basis", "proved-real-arithmetic"}};
}

void print(const MaskFacts& facts, std::int64_t rows) {
  fmt::print(
      "Plan for mask: {} rows, {} column{}, rows of norm at most {:.4g} (no data was read)\n", rows,
      facts.shape.dimension, facts.shape.dimension == 1 ? "" : "s", facts.shape.row_norm);
  fmt::print("  budget      ({}, {})-DP{}\n", facts.target.epsilon, facts.target.delta,
             facts.group_size > 1 ? fmt::format(" for {} rows together", facts.group_size) : "");
  fmt::print("  sigma       {:.4g}   on every cell; one row against the zero row (zero-row)\n",
             facts.zero_row);
  fmt::print("              {:.4g}   one row against any other (replace-one)\n", facts.replace_one);
  fmt::print("              {:.4g}   zero-row, the condition of Ding et al. 2022\n", facts.general);
  fmt::print(
      "  unmasked    {:.4g}   for the same cells without a mask (zero-row; Ding et al.: {})\n",
      facts.unmasked.analytic,
      has_published_bounds(facts) ? fmt::format("necessary {:.4g}, sufficient {:.4g}",
                                                facts.unmasked.necessary, facts.unmasked.sufficient)
                                  : "not applicable");
  fmt::print(
      "  on sums     standard deviation {:.4g} on a diagonal entry of the Gram matrix, plus 2 "
      "sigma |x_j|; --method gauss: {:.4g} ({})\n",
      own_gram_sd(facts, rows), facts.gram_sd, name_of(facts.relation));
}

Outcome MaskPlanRequest::run() const {
  const Result<Budget> budget = what.budget.budget();
  if (!budget) {
    return error_of(budget);
  }
  const Result<Relation> relation = what.budget.relation();
  if (!relation) {
    return error_of(relation);
  }
  if (const Result<void> checked = check(); !checked) {
    return error_of(checked);
  }
  const Result<RowBound> bound = assumed.schema(what.bounds).and_then([&](const Schema& schema) {
    return what.bounds.bound(schema);
  });
  if (!bound) {
    return error_of(bound);
  }
  const Result<MaskFacts> facts =
      mask_facts({*bound, *budget, *relation, intercept, false, what.budget.group_size},
                 smallest_block > 0 ? smallest_block : assumed.rows);
  if (!facts) {
    return error_of(facts);
  }
  if (json) {
    fmt::print("{}\n", to_json(*facts, assumed.rows).dump(2));
  } else {
    print(*facts, assumed.rows);
  }
  return {};
}

}  // namespace

Command mask_plan() {
  return {"mask", "masked pseudo-data: noise for every relation, with and without the mask",
          [](CLI::App& app) {
            auto request = std::make_shared<MaskPlanRequest>();
            request->declare(app);
            return [request] { return request->run(); };
          }};
}

}  // namespace eigenveil::cli
