#include "cli/audits/attack_table.hpp"

#include <fmt/format.h>

#include "core/parallel.hpp"

namespace eigenveil::cli {
namespace {

void print_result(const AuditResult& result, bool is_mutant) {
  fmt::print("  {:<52}{:>10.4f}{:>10.4f}   {}\n", result.name, result.lower_bound, result.claimed,
             verdict(result, is_mutant));
}

}  // namespace

Outcome run_attacks(const AttackRun& run, const std::vector<AuditCase>& attacks) {
  fmt::print("Audit of {}: {} runs on each of two neighbouring data sets ({}), confidence 99.9%\n",
             run.method, run.runs, name_of(run.relation));
  const AuditSettings settings{run.runs, kAttackError, default_threads()};
  RandomStream stream = run.seed ? RandomStream::seeded(*run.seed) : RandomStream::secure();
  bool wrong = false;
  for (std::size_t i = 0; i < attacks.size(); ++i) {
    const AuditResult result = audit(attacks[i], settings, stream);
    const bool is_mutant = i > 0;
    wrong = wrong || result.refuted() != is_mutant;
    if (!is_mutant) {
      fmt::print("  {:<52}{:>10}{:>10}\n", "", result.unit + " >=", "claimed");
    }
    print_result(result, is_mutant);
  }
  if (wrong) {
    return input_output_error(
        "the audit did not come out as it must (see the table); a small budget needs more --runs "
        "before a mutant shows");
  }
  return {};
}

}  // namespace eigenveil::cli
