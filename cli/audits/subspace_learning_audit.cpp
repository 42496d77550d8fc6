#include <fmt/format.h>

#include <memory>

#include "audit/subspace_learning_cases.hpp"
#include "cli/audits/attack_table.hpp"
#include "cli/audits/audits.hpp"
#include "cli/options/checks.hpp"
#include "cli/subspace/learn.hpp"

namespace eigenveil::cli {
namespace {

struct SubspaceAuditOptions {
  std::uint64_t runs = kSubspaceAuditRuns;
  bool mutants = false;
  std::optional<std::uint64_t> seed;
  BudgetOptions budget;

  Outcome run() const {
    return subspace_budget(budget).and_then([&](const ApproxDp& pair) -> Outcome {
      const Result<std::vector<SubspaceAttacks>> families = subspace_attacks(pair, mutants);
      if (!families) {
        return error_of(families);
      }
      Outcome all;
      for (const SubspaceAttacks& family : *families) {
        const Outcome attacked = run_attacks(
            {"subspace, " + family.name, Relation::ReplaceOne, runs, seed}, family.cases);
        all = all ? attacked : all;  // every table is printed, the first failure is reported
      }
      return all;
    });
  }
};

}  // namespace

Command subspace_learning_audit() {
  return {"subspace",
          "gap rule, vote histogram, weighing and average of the stable core; try --epsilon 2 "
          "--delta 0.05",
          [](CLI::App& app) {
            auto options = std::make_shared<SubspaceAuditOptions>();
            app.add_option("--runs", options->runs,
                           fmt::format("runs on each data set (default {}: whole releases, about a "
                                       "minute)",
                                       kSubspaceAuditRuns))
                ->check(whole_number(1000, 100'000'000));
            app.add_flag("--mutants", options->mutants,
                         "attack broken versions too: every one must be refuted");
            app.add_option("--seed", options->seed, "the same attack again, for tests")
                ->check(whole_number(0));
            options->budget.neighbours = "replace-one";
            options->budget.declare(app);
            return [options] { return options->run(); };
          }};
}

}  // namespace eigenveil::cli
