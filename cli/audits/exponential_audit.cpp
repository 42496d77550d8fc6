#include <memory>

#include "audit/exponential_cases.hpp"
#include "cli/audits/attack_table.hpp"
#include "cli/audits/audits.hpp"
#include "cli/options/budget_options.hpp"
#include "cli/options/checks.hpp"

namespace eigenveil::cli {
namespace {

struct ExponentialAuditOptions {
  std::uint64_t runs = 1'000'000;
  bool mutants = false;
  std::optional<std::uint64_t> seed;
  double variance_share = 0.5;
  BudgetOptions budget;

  void declare(CLI::App& app);
  Outcome run() const;
};

void ExponentialAuditOptions::declare(CLI::App& app) {
  app.add_option("--runs", runs, "runs on each data set (default 1000000)")
      ->check(whole_number(1000, 100'000'000));
  app.add_option("--variance-share", variance_share,
                 "share of the budget for the variance (default here 0.5, to see both parts)")
      ->check(open_unit_interval());
  app.add_flag("--mutants", mutants, "attack broken versions too: every one must be refuted");
  app.add_option("--seed", seed, "the same attack again, for tests")->check(whole_number(0));
  budget.declare(app);
}

Outcome ExponentialAuditOptions::run() const {
  const Result<Budget> spent = budget.budget();
  if (!spent) {
    return error_of(spent);
  }
  if (!std::holds_alternative<PureDp>(*spent) || budget.group_size != 1) {
    return bad_request(
        "this audit attacks one row at pure epsilon; give --epsilon alone, without --group-size");
  }
  const Result<Relation> relation = budget.relation();
  if (!relation) {
    return error_of(relation);
  }
  const ExponentialAudit attacked{*spent, *relation, variance_share};
  std::vector<ExponentialMutant> versions = {ExponentialMutant::None};
  if (mutants) {
    const std::vector<ExponentialMutant> broken = exponential_mutants(attacked);
    versions.insert(versions.end(), broken.begin(), broken.end());
  }
  std::vector<AuditCase> attacks;
  for (const ExponentialMutant version : versions) {
    Result<AuditCase> attack = exponential_case(attacked, version);
    if (!attack) {
      return error_of(attack);
    }
    attacks.push_back(std::move(*attack));
  }
  return run_attacks({"exponential", *relation, runs, seed}, attacks);
}

}  // namespace

Command exponential_audit() {
  return {"exponential", "one component by the exponential mechanism", [](CLI::App& app) {
            auto options = std::make_shared<ExponentialAuditOptions>();
            options->declare(app);
            return [options] { return options->run(); };
          }};
}

}  // namespace eigenveil::cli
