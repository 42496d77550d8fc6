#include <fmt/format.h>

#include <memory>

#include "audit/low_bits.hpp"
#include "audit/orbit_cases.hpp"
#include "cli/audits/attack_table.hpp"
#include "cli/audits/audits.hpp"
#include "cli/options/budget_options.hpp"
#include "cli/options/checks.hpp"

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

constexpr double kMiss = 1e-3;  ///< chance that an attack shows less than it is said to
constexpr std::uint64_t kMostRuns = std::uint64_t{1} << 24U;

/// The mutants that these runs are sure to refute; the others are named with what they would need.
std::vector<OrbitMutant> refutable(const OrbitAudit& attacked, const AuditSettings& settings) {
  std::vector<OrbitMutant> sure;
  for (const OrbitMutant mutant : orbit_mutants(attacked)) {
    const Result<OrbitAttack> attack = orbit_attack(attacked, mutant, settings, kMiss);
    if (attack && attack->guaranteed > attacked.epsilon) {
      sure.push_back(mutant);
    } else {
      const std::uint64_t needed =
          runs_to_show(attacked.epsilon, attacked, mutant, {kMostRuns, settings.error, 1}, kMiss);
      fmt::print("  {}, {}: not attacked, needs {}\n", name_of(attacked.pair), name_of(mutant),
                 needed > 0 ? fmt::format("--runs {}", needed) : "more than 16 million runs");
    }
  }
  return sure;
}

/// One pair: the shipped mechanism first, then the broken ones.
Outcome attack_pair(const OrbitAudit& attacked, bool mutants, const AttackRun& run) {
  const AuditSettings settings{run.runs, kAttackError, 1};
  std::vector<OrbitMutant> versions = {OrbitMutant::None};
  if (mutants) {
    const std::vector<OrbitMutant> broken = refutable(attacked, settings);
    versions.insert(versions.end(), broken.begin(), broken.end());
  }
  std::vector<AuditCase> attacks;
  std::string expected;
  for (const OrbitMutant version : versions) {
    Result<OrbitAttack> attack = orbit_attack(attacked, version, settings, kMiss);
    if (!attack) {
      return error_of(attack);
    }
    if (version == OrbitMutant::None) {
      expected = fmt::format(
          "  by its exact law this attack shows at least {:.4f} (99.9%), and none on this pair "
          "more "
          "than {:.4f}\n",
          attack->guaranteed, attack->most);
    }
    attacks.push_back(std::move(attack->attack));
  }
  return run_attacks(run, attacks).map([&] { fmt::print("{}", expected); });
}

/// What the law of a pair says nothing about: the last digits.
Outcome attack_low_bits(double epsilon, bool mutants, const AttackRun& run) {
  for (const LowBits attacked : kLowBits) {
    const LowBitsAudit request{epsilon, run.relation, attacked};
    const bool mutant = mutants && attacked == LowBits::Trace;
    std::vector<AuditCase> attacks;
    for (const Result<AuditCase>& made :
         mutant ? std::vector{low_bits_case(request), rounded_trace_mutant(request)}
                : std::vector{low_bits_case(request)}) {
      if (!made) {
        return error_of(made);
      }
      attacks.push_back(*made);
    }
    if (const Outcome done = run_attacks(run, attacks); !done) {
      return done;
    }
  }
  return {};
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
  }
  return attack_low_bits(pure->epsilon, mutants, {"orbit", *relation, runs, seed});
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
