#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/methods/request.hpp"
#include "eigenveil/core/outward.hpp"
#include "eigenveil/mechanism/mask_calibration.hpp"
#include "eigenveil/privacy/conversion.hpp"

namespace eigenveil::cli {
namespace {

/// `plan mask`: all noises a masked release could have, each with the relation it belongs to.
struct MaskPlanRequest {
  PlanRequest plan;
  std::int64_t smallest_block = 0;
  bool intercept = false;

  void declare(CLI::App& app);
  Outcome run() const;

 private:
  Result<MaskShape> shape(const RowBound& bound) const;
};

void MaskPlanRequest::declare(CLI::App& app) {
  plan.what.task = Task::Covariance;
  plan.what.budget.neighbours = "zero-row";
  plan.declare(app);
  app.add_option("--smallest-block", smallest_block,
                 "rows of the smallest block, when shards are masked by themselves");
  app.add_flag("--intercept", intercept, "with a column of ones, which counts in the row norm");
}

Result<MaskShape> MaskPlanRequest::shape(const RowBound& bound) const {
  MaskShape result{smallest_block > 0 ? std::min(smallest_block, plan.rows) : plan.rows,
                   static_cast<std::int64_t>(bound.dimension()), bound.radius()};
  if (intercept) {
    result.dimension += 1;
    result.row_norm = up(std::sqrt(up(up(result.row_norm * result.row_norm) + 1.0)));
  }
  return result;
}

/// What the numbers are computed from.
struct MaskFacts {
  MaskShape shape;
  ApproxDp target;
  double zero_row = 0.0;
  double replace_one = 0.0;
  double general = 0.0;
  UnmaskedNoise unmasked;
  double gram_sd = 0.0;  ///< of --method gauss on a diagonal entry
};

nlohmann::ordered_json to_json(const MaskFacts& facts, std::int64_t rows) {
  const Loss curve =
      mask_curve(facts.shape, facts.zero_row, facts.target.epsilon, Relation::ZeroRow);
  const double n = static_cast<double>(rows);
  return {
      {"task", "mask"},
      {"rows", rows},
      {"smallest_block", facts.shape.rows},
      {"dimension", facts.shape.dimension},
      {"row_norm", facts.shape.row_norm},
      {"epsilon", facts.target.epsilon},
      {"delta", facts.target.delta},
      {"sigma", facts.zero_row},
      {"sigma_relation", "zero-row: one row of norm at most row_norm against the zero row"},
      {"sigma_replace_one", facts.replace_one},
      {"sigma_replace_one_relation",
       "replace-one: one row of norm at most row_norm against another"},
      {"sigma_published", facts.general},
      {"sigma_published_relation",
       "zero-row by the source's general condition; its own table has rows that move by at most 1"},
      {"unmasked_sigma_necessary", facts.unmasked.necessary},
      {"unmasked_sigma_sufficient", facts.unmasked.sufficient},
      {"unmasked_sigma_analytic", facts.unmasked.analytic},
      {"unmasked_relation",
       "zero-row; necessary and sufficient are for P(loss > epsilon) <= delta, analytic is for "
       "(epsilon, delta)-DP"},
      {"max_power_at_5pct", max_power(curve, 0.05)},
      {"gram_noise_sd_mask", facts.zero_row * facts.zero_row * std::sqrt(2.0 * n)},
      {"gram_noise_sd_mask_note",
       "on a diagonal entry of the sum over rows, plus 2 sigma |x_j| from the cross term"},
      {"gram_noise_sd_gauss", facts.gram_sd},
      {"basis", "proved-real-arithmetic"}};
}

void print(const MaskFacts& facts, std::int64_t rows) {
  fmt::print(
      "Plan for mask: {} rows, {} column{}, rows of norm at most {:.4g} (no data was read)\n", rows,
      facts.shape.dimension, facts.shape.dimension == 1 ? "" : "s", facts.shape.row_norm);
  fmt::print("  budget      ({}, {})-DP\n", facts.target.epsilon, facts.target.delta);
  fmt::print("  sigma       {:.4g}   on every cell; one row against the zero row (zero-row)\n",
             facts.zero_row);
  fmt::print("              {:.4g}   one row against any other (replace-one)\n", facts.replace_one);
  fmt::print("              {:.4g}   zero-row, the source's condition\n", facts.general);
  fmt::print(
      "  unmasked    {:.4g}   for the same cells without a mask (zero-row; the source: necessary "
      "{:.4g}, sufficient {:.4g})\n",
      facts.unmasked.analytic, facts.unmasked.necessary, facts.unmasked.sufficient);
  const double own = facts.zero_row * facts.zero_row * std::sqrt(2.0 * static_cast<double>(rows));
  fmt::print(
      "  on sums     standard deviation {:.4g} on a diagonal entry of the Gram matrix, plus 2 "
      "sigma "
      "|x_j|; --method gauss: {:.4g}\n",
      own, facts.gram_sd);
}

Outcome MaskPlanRequest::run() const {
  const Result<Budget> budget = plan.what.budget.budget();
  if (!budget) {
    return error_of(budget);
  }
  const auto* target = std::get_if<ApproxDp>(&*budget);
  if (target == nullptr) {
    return bad_request("masking is calibrated for (epsilon, delta): give --epsilon E --delta D");
  }
  const Result<RowBound> bound =
      plan.schema().and_then([&](const Schema& schema) { return plan.what.bounds.bound(schema); });
  if (!bound) {
    return error_of(bound);
  }
  MaskFacts facts;
  facts.shape = *shape(*bound);
  facts.target = *target;
  const Result<double> zero_row = tight_mask_noise(facts.shape, *target, Relation::ZeroRow);
  if (!zero_row) {
    return error_of(zero_row);
  }
  facts.zero_row = *zero_row;
  facts.replace_one = *tight_mask_noise(facts.shape, *target, Relation::ReplaceOne);
  if (intercept) {  // a zeroed row keeps its 1: docs/proofs/masking.md, step 9
    facts.zero_row = facts.replace_one;
  }
  facts.general = *general_mask_noise(facts.shape, facts.shape.row_norm, *target);
  facts.unmasked = unmasked_noise(facts.shape.row_norm, *target);
  facts.gram_sd = facts.shape.row_norm * facts.shape.row_norm / gaussian_mu_for(*target);
  if (plan.json) {
    fmt::print("{}\n", to_json(facts, plan.rows).dump(2));
  } else {
    print(facts, plan.rows);
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
