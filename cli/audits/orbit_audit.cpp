#include <fmt/format.h>

#include <memory>

#include "cli/audits/attack_table.hpp"
#include "cli/audits/audits.hpp"
#include "cli/options/budget_options.hpp"
#include "cli/options/checks.hpp"
#include "eigenveil/audit/orbit_cases.hpp"

namespace eigenveil::cli {
namespace {

struct OrbitAuditOptions {
  std::uint64_t runs = 200'000;
  bool mutants = false;
  std::optional<std::uint64_t> seed;
  BudgetOptions budget;

  void declare(CLI::App& app);
  Outcome run() const;
};

void OrbitAuditOptions::declare(CLI::App& app) {
  app.add_option("--runs", runs, "runs on each data set (default 200000)")
      ->check(whole_number(1000, 100'000'000));
  app.add_flag("--mutants", mutants, "attack broken versions too: every one must be refuted");
  app.add_option("--seed", seed, "the same attack again, for tests")->check(whole_number(0));
  budget.declare(app);
}

/// One pair: the shipped mechanism first, then the broken ones.
Outcome attack_pair(const OrbitAudit& attacked, bool mutants, const AttackRun& run) {
  std::vector<OrbitMutant> versions = {OrbitMutant::None};
  if (mutants) {
    const std::vector<OrbitMutant> broken = orbit_mutants(attacked);
    versions.insert(versions.end(), broken.begin(), broken.end());
  }
  std::vector<AuditCase> attacks;
  for (const OrbitMutant version : versions) {
    Result<AuditCase> attack = orbit_case(attacked, version);
    if (!attack) {
      return error_of(attack);
    }
    attacks.push_back(*std::move(attack));
  }
  return run_attacks(run, attacks);
}

Outcome OrbitAuditOptions::run() const {
  const Result<Budget> spent = budget.budget();
  if (!spent) {
    return error_of(spent);
  }
  const auto* pure = std::get_if<PureDp>(&*spent);
  if (pure == nullptr || budget.group_size != 1) {
    return bad_request(
        "this audit attacks one row at pure epsilon; give --epsilon alone, without --group-size");
  }
  const Result<Relation> relation = budget.relation();
  if (!relation) {
    return error_of(relation);
  }
  for (const OrbitPair pair :
       {OrbitPair::Worst, OrbitPair::EqualSpectra, OrbitPair::Empty, OrbitPair::LowRank}) {
    const OrbitAudit attacked{pure->epsilon, *relation, pair};
    if (!applies(attacked)) {
      continue;
    }
    const Outcome done = attack_pair(attacked, mutants, {"orbit", *relation, runs, seed});
    if (!done) {
      return done;
    }
    if (pair != OrbitPair::LowRank) {
      fmt::print("  no attack on this pair can show more than {:.4f}\n",
                 largest_direction_loss(attacked));
    }
  }
  return {};
}

}  // namespace

Command orbit_audit() {
  return {"orbit", "draws on unitary orbits, with public and with noisy eigenvalues",
          [](CLI::App& app) {
            auto options = std::make_shared<OrbitAuditOptions>();
            options->declare(app);
            return [options] { return options->run(); };
          }};
}

}  // namespace eigenveil::cli
