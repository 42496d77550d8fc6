#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/options/checks.hpp"
#include "cli/subspace/learn.hpp"
#include "eigenveil/report/document.hpp"
#include "mechanism/subspace/exact_subspace.hpp"

namespace eigenveil::cli {
namespace {

constexpr double kUsefulAngle = 0.1;

struct SubspacePlanCommand {
  LearnOptions learn;
  BudgetOptions budget;
  std::size_t rows = 0;
  std::size_t dimension = 0;
  bool exact = false;
  bool affine = false;
  std::int64_t max_abs = 1000;
  std::optional<std::int64_t> exceptions;
  bool json = false;

  void declare(CLI::App& app);
  Outcome run() const;

 private:
  Outcome plan_exact(const ApproxDp& pair) const;
  Outcome plan_near(const ApproxDp& pair) const;
};

void SubspacePlanCommand::declare(CLI::App& app) {
  constexpr const char* kGroup = "Size (assumed, no data is read)";
  app.add_option("--rows", rows, "number of rows")
      ->required()
      ->check(whole_number(1, std::uint64_t{1} << 40))
      ->group(kGroup);
  app.add_option("--dimension", dimension, "number of columns")
      ->required()
      ->check(whole_number(1, std::uint64_t{1} << 24))
      ->group(kGroup);
  app.add_option("-k,--components", learn.subspace, "dimension of the subspace (default 1)")
      ->check(whole_number(1));
  app.add_option("--aggregate", learn.aggregate,
                 "core (default) or grid; with --exact: gapmax or votes")
      ->check(one_of({"core", "grid", "gapmax", "votes"}));
  app.add_flag("--exact", exact, "the rows lie exactly in the subspace");
  app.add_flag("--affine", affine, "with --exact: the subspace need not contain the origin");
  app.add_option("--max-abs", max_abs, "with --exact: public bound on the whole numbers")
      ->check(whole_number(1, std::uint64_t{1} << 50));
  app.add_option("--exceptions", exceptions, "with --exact: rows that may lie elsewhere")
      ->check(whole_number(0));
  app.add_flag("--json", json, "for machines");
  learn.declare(app);
  budget.neighbours = "replace-one";
  budget.declare(app);
}

Outcome SubspacePlanCommand::run() const {
  if (const Result<void> checked = learn.check_words(exact); !checked) {
    return error_of(checked);
  }
  if (!exact && (affine || exceptions)) {
    return bad_request("--affine and --exceptions need --exact");
  }
  return subspace_budget(budget).and_then(
      [&](const ApproxDp& pair) { return exact ? plan_exact(pair) : plan_near(pair); });
}

Outcome SubspacePlanCommand::plan_exact(const ApproxDp& pair) const {
  const std::size_t constant = affine ? 1 : 0;  // one more coordinate, one more dimension
  ExactSubspaceRequest request{rows,
                               dimension + constant,
                               learn.subspace + constant,
                               pair,
                               ExactAggregate::Auto,
                               exceptions,
                               max_abs,
                               false};
  request.aggregate = learn.aggregate == "votes"    ? ExactAggregate::Votes
                      : learn.aggregate == "gapmax" ? ExactAggregate::GapMax
                                                    : ExactAggregate::Auto;
  const Result<ExactSubspacePlan> plan = ExactSubspacePlan::make(request);
  if (!plan) {
    return error_of(plan);
  }
  const nlohmann::ordered_json facts = {
      {"task", "subspace"},
      {"method", "exact-" + plan->aggregate_name()},
      {"guarantee", headline(plan->guarantee(), pair)},
      {"noise_bound", plan->noise_bound()},
      {"exceptions", plan->exceptions()},
      {"sufficient_rows", plan->sufficient_rows()},
      {"sufficient_rows_exceptions", plan->sufficient_exceptions()},
      {"lower_bound_rows", plan->lower_bound()},
      {"field_bits", plan->field_bits()}};
  if (json) {
    fmt::print("{}\n", facts.dump(2));
    return {};
  }
  fmt::print("Plan for an exact subspace by {}: {} rows, {} columns, k = {} (no data was read)\n",
             plan->aggregate_name(), rows, dimension, learn.subspace);
  fmt::print("  guarantee   {}\n", facts["guarantee"].get<std::string>());
  fmt::print("  noise       whole numbers from -{0} to {0}\n", plan->noise_bound());
  fmt::print("  exceptions  {} {} may lie elsewhere and the answer is still certain\n",
             plan->exceptions(), plan->by_votes() ? "groups" : "rows");
  fmt::print(
      "  rows        {} suffice with {} exceptions; no method needs fewer than the order of "
      "{:.0f}\n",
      plan->sufficient_rows(), plan->sufficient_exceptions(), plan->lower_bound());
  fmt::print("  arithmetic  modulo 2^{} - 1, certified for whole numbers up to {}\n",
             plan->field_bits(), max_abs);
  return {};
}

Outcome SubspacePlanCommand::plan_near(const ApproxDp& pair) const {
  const Result<SubspacePlan> plan = learn.plan(rows, dimension, pair);
  if (!plan) {
    return error_of(plan);
  }
  const GroupShape& shape = plan->shape();
  const bool grid = plan->cell_side() > 0.0;
  nlohmann::ordered_json facts = {{"task", "subspace"},
                                  {"method", plan->aggregate_name()},
                                  {"guarantee", headline(plan->guarantee(), pair)},
                                  {"parts", learn.parts()},
                                  {"groups", shape.groups},
                                  {"rows_per_group", shape.per_group},
                                  {"reference_points", shape.references},
                                  {"agreement", plan->agreement()},
                                  {"largest_gamma", plan->largest_gamma(kUsefulAngle)}};
  facts[grid ? "cell_side" : "radii"] =
      grid ? nlohmann::ordered_json(plan->cell_side()) : nlohmann::ordered_json(plan->radii());
  if (grid) {
    facts["answer_probability"] = plan->answer_probability();
  }
  if (learn.gamma) {
    facts["predicted_angle"] = plan->predicted_angle(*learn.gamma);
  }
  if (json) {
    fmt::print("{}\n", facts.dump(2));
    return {};
  }
  fmt::print("Plan for a subspace by {}: {} rows, {} columns, k = {} (no data was read)\n",
             plan->aggregate_name(), rows, dimension, learn.subspace);
  fmt::print("  guarantee   {}\n", facts["guarantee"].get<std::string>());
  fmt::print("  groups      {}{} of {} rows, {} reference points\n",
             learn.parts() > 1 ? fmt::format("{} parts, each ", learn.parts()) : "", shape.groups,
             shape.per_group, shape.references);
  if (grid) {
    fmt::print(
        "  cells       side {:.4g}; one wins with probability about {:.2f}, and holds all groups "
        "with about {:.2g}\n",
        plan->cell_side(), plan->answer_probability(), plan->agreement());
  } else {
    fmt::print(
        "  core        radius {:.4g}{}; Gaussian rows give it about {:.0f}% of full weight\n",
        plan->radii().front(),
        plan->radii().size() > 1 ? fmt::format(" to {:.4g}", plan->radii().back()) : "",
        100.0 * plan->agreement());
  }
  if (learn.gamma) {
    const double angle = plan->predicted_angle(*learn.gamma);
    fmt::print("  error       sine of the angle about {:.3g} at gamma = {:.3g}{}\n", angle,
               *learn.gamma, angle > learn.largest_noise_angle ? ": expect NULL" : "");
  }
  fmt::print("  gamma       angle below {} needs gamma below about {:.2g} (first order)\n",
             kUsefulAngle, plan->largest_gamma(kUsefulAngle));
  return {};
}

}  // namespace

Command subspace_plan_command() {
  return {"subspace", "subspace in or near which the rows lie", [](CLI::App& app) {
            auto command = std::make_shared<SubspacePlanCommand>();
            command->declare(app);
            return [command] { return command->run(); };
          }};
}

}  // namespace eigenveil::cli
