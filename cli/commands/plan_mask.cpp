#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/options/checks.hpp"
#include "cli/options/request_options.hpp"
#include "eigenveil/report/document.hpp"
#include "engine/table/prepared_table.hpp"
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

/// The bounds of Ding et al. on noise without a mask come from a quantile that must be positive.
bool has_published_bounds(const MaskedNoise& noise) {
  return noise.unmasked.necessary > 0.0;
}

void add_masked(nlohmann::ordered_json& json, const MaskedNoise& noise, std::int64_t rows) {
  const nlohmann::ordered_json none;
  const bool bounds = has_published_bounds(noise);
  const nlohmann::ordered_json masked = {
      {"smallest_block", noise.shape.rows},
      {"sigma_asked", noise.asked},
      {"sigma", noise.zero_row},
      {"sigma_relation", "zero-row: one row of norm at most row_norm against the zero row"},
      {"sigma_replace_one", noise.replace_one},
      {"sigma_replace_one_relation",
       "replace-one: one row of norm at most row_norm against another"},
      {"sigma_published", noise.general},
      {"sigma_published_relation",
       "zero-row by the general condition of Ding et al.; their table has rows that move by at "
       "most 1"},
      {"unmasked_sigma_necessary",
       bounds ? nlohmann::ordered_json(noise.unmasked.necessary) : none},
      {"unmasked_sigma_sufficient",
       bounds ? nlohmann::ordered_json(noise.unmasked.sufficient) : none},
      {"unmasked_sigma_analytic", noise.unmasked.analytic},
      {"unmasked_relation",
       "zero-row; necessary and sufficient are for P(loss > epsilon) <= delta, analytic is for "
       "(epsilon, delta)-DP"},
      {"gram_noise_sd_mask", noise.gram_sd(static_cast<double>(rows))},
      {"gram_noise_sd_mask_note",
       "on a diagonal entry of the sum over rows, plus 2 sigma |x_j| from the cross term"},
      {"basis_mask", "proved-real-arithmetic"}};
  json.update(masked);
}

nlohmann::ordered_json to_json(const MaskFacts& facts, const Budget& budget, std::int64_t rows,
                               std::size_t dimension) {
  const StatedPower stated = stated_power(facts.guarantee);
  nlohmann::ordered_json json = {{"task", "mask"},
                                 {"method", "gauss"},
                                 {"guarantee", headline(facts.guarantee, budget)},
                                 {"in_words", detection_in_words(facts.guarantee)},
                                 {stated.field, stated.power},
                                 {"rows", rows},
                                 {"dimension", dimension},
                                 {"row_norm", facts.row_norm},
                                 {"neighbours", std::string(name_of(facts.relation))},
                                 {"group_size", facts.group_size},
                                 {"gram_noise_sd_gauss", facts.gram_sd},
                                 {"basis", std::string(name_of(facts.guarantee.basis))}};
  if (facts.masked) {
    json["epsilon"] = facts.masked->target.epsilon;
    json["delta"] = facts.masked->target.delta;
    add_masked(json, *facts.masked, rows);
  } else {
    json["mask_refused"] = facts.mask_refusal;
  }
  return json;
}

void print_masked(const MaskFacts& facts, std::int64_t rows) {
  if (!facts.masked) {
    fmt::print("  mask        (--method mask) refused: {}\n", facts.mask_refusal);
    return;
  }
  const MaskedNoise& noise = *facts.masked;
  fmt::print(
      "  mask        standard deviation {:.4g} on it, plus 2 sigma |x_j| (--method mask; Ding, Wu, "
      "Miao, Chen 2022)\n",
      noise.gram_sd(static_cast<double>(rows)));
  fmt::print("    sigma     {:.4g}   on every cell; one row against the zero row (zero-row)\n",
             noise.zero_row);
  fmt::print("              {:.4g}   one row against any other (replace-one)\n", noise.replace_one);
  fmt::print("              {:.4g}   zero-row, the condition of Ding et al. 2022\n", noise.general);
  fmt::print(
      "    unmasked  {:.4g}   for the same cells without a mask (zero-row; Ding et al.: {})\n",
      noise.unmasked.analytic,
      has_published_bounds(noise) ? fmt::format("necessary {:.4g}, sufficient {:.4g}",
                                                noise.unmasked.necessary, noise.unmasked.sufficient)
                                  : "not applicable");
}

void print(const MaskFacts& facts, const Budget& budget, std::int64_t rows, std::size_t dimension) {
  fmt::print(
      "Plan for mask: {} rows, {} column{}, rows of norm at most {:.4g} (no data was read)\n", rows,
      dimension, dimension == 1 ? "" : "s", facts.row_norm);
  fmt::print("  guarantee   {}\n  in words    {}\n", headline(facts.guarantee, budget),
             detection_in_words(facts.guarantee));
  fmt::print(
      "  gauss       standard deviation {:.4g} on a diagonal entry of the Gram matrix (the "
      "default)\n",
      facts.gram_sd);
  print_masked(facts, rows);
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
  TableSpec spec;
  const Result<RowBound> bound =
      what.bounds.fill(spec)
          .and_then([&] { return assumed.schema(what.bounds); })
          .and_then([&](const Schema& schema) { return PreparedTable::make(spec, schema); })
          .map([](const PreparedTable& prepared) { return prepared.bound(); });
  if (!bound) {
    return error_of(bound);
  }
  const Result<MaskFacts> facts =
      mask_facts({*bound, *budget, *relation, intercept, false, what.budget.group_size},
                 smallest_block > 0 ? smallest_block : assumed.rows);
  if (!facts) {
    return error_of(facts);
  }
  const std::size_t dimension = bound->dimension() + (intercept ? 1 : 0);
  if (json) {
    fmt::print("{}\n", to_json(*facts, *budget, assumed.rows, dimension).dump(2));
  } else {
    print(*facts, *budget, assumed.rows, dimension);
  }
  return {};
}

}  // namespace

Command mask_plan() {
  return {"mask", "pseudo-data: the noise of both methods, of mask for every relation",
          [](CLI::App& app) {
            auto request = std::make_shared<MaskPlanRequest>();
            request->declare(app);
            return [request] { return request->run(); };
          }};
}

}  // namespace eigenveil::cli
