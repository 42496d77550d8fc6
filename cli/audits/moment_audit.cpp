#include <memory>

#include "audit/moment_cases.hpp"
#include "cli/audits/attack_table.hpp"
#include "cli/audits/audits.hpp"
#include "cli/options/budget_options.hpp"
#include "cli/options/checks.hpp"

namespace eigenveil::cli {
namespace {

struct MomentAuditOptions {
  std::string method;
  std::size_t dimension = 2;
  std::uint64_t runs = 1'000'000;
  bool mutants = false;
  bool private_mean = false;
  std::optional<std::uint64_t> seed;
  BudgetOptions budget;

  void declare(CLI::App& app);
  Outcome run() const;

 private:
  Result<MomentAudit> request() const;
  Result<std::vector<AuditCase>> cases(const MomentAudit& attacked) const;
};

void MomentAuditOptions::declare(CLI::App& app) {
  app.add_option("--dimension", dimension, "columns of the attacked pair (default 2)")
      ->check(whole_number(2, 50));
  app.add_option("--runs", runs, "runs on each data set (default 1000000)")
      ->check(whole_number(1000, 100'000'000));
  app.add_flag("--private-mean", private_mean, "attack the release with a private mean");
  app.add_flag("--mutants", mutants, "attack broken versions too: every one must be refuted");
  app.add_option("--seed", seed, "the same attack again, for tests")->check(whole_number(0));
  budget.declare(app);
}

Result<MomentAudit> MomentAuditOptions::request() const {
  const Result<Budget> spent = budget.budget();
  if (!spent) {
    return error_of(spent);
  }
  if (budget.group_size != 1) {
    return bad_request("an audit attacks one row; leave out --group-size");
  }
  return budget.relation().map([&](Relation relation) {
    return MomentAudit{method, dimension, *spent, relation,
                       private_mean ? Extension::Full : Extension::Count};
  });
}

/// The shipped mechanism first, then the broken ones.
Result<std::vector<AuditCase>> MomentAuditOptions::cases(const MomentAudit& attacked) const {
  std::vector<MomentMutant> versions = {MomentMutant::None};
  if (mutants) {
    for (const MomentMutant mutant : moment_mutants(attacked)) {
      versions.push_back(mutant);
    }
  }
  std::vector<AuditCase> all;
  for (const MomentMutant version : versions) {
    Result<AuditCase> attack = moment_case(attacked, version);
    if (!attack) {
      return error_of(attack);
    }
    all.push_back(std::move(*attack));
  }
  return all;
}

Outcome MomentAuditOptions::run() const {
  const Result<MomentAudit> attacked = request();
  if (!attacked) {
    return error_of(attacked);
  }
  const Result<std::vector<AuditCase>> attacks = cases(*attacked);
  if (!attacks) {
    return error_of(attacks);
  }
  return run_attacks({method, attacked->relation, runs, seed}, *attacks);
}

}  // namespace

Command moment_audit(const std::string& method) {
  return {method, "the second moment by this method", [method](CLI::App& app) {
            auto options = std::make_shared<MomentAuditOptions>();
            options->method = method;
            options->declare(app);
            return [options] { return options->run(); };
          }};
}

}  // namespace eigenveil::cli
