#include <fmt/format.h>

#include <memory>
#include <optional>

#include "audit/mask_cases.hpp"
#include "cli/audits/audits.hpp"
#include "cli/options/checks.hpp"
#include "core/parallel.hpp"

namespace eigenveil::cli {
namespace {

struct MaskAuditOptions {
  MaskAudit attacked;
  std::uint64_t runs = 400'000;
  bool mutants = false;
  std::optional<std::uint64_t> seed;

  void declare(CLI::App& app) {
    app.add_option("--rows", attacked.rows, "rows of the attacked pair (default 12)")
        ->check(whole_number(3, 10'000));
    app.add_option("--dimension", attacked.dimension, "its columns (default 2)")
        ->check(whole_number(1, 50));
    app.add_option("--epsilon", attacked.budget.epsilon, "default 1");
    app.add_option("--delta", attacked.budget.delta,
                   "default 0.05: large, because an attack only sees what happens often");
    app.add_option("--runs", runs, "runs on each data set (default 400000)")
        ->check(whole_number(1000, 100'000'000));
    app.add_flag("--mutants", mutants, "attack broken versions too: every one must be refuted");
    app.add_option("--seed", seed, "the same attack again, for tests")->check(whole_number(0));
  }

  Outcome run() const {
    std::vector<std::pair<MaskMutant, MaskPair>> attacks;
    for (const MaskPair pair : mask_pairs(attacked)) {
      attacks.emplace_back(MaskMutant::None, pair);
    }
    if (mutants) {
      const auto broken = mask_mutants();
      attacks.insert(attacks.end(), broken.begin(), broken.end());
    }
    std::vector<AuditCase> cases;  // all of them before a line is printed
    for (const auto& [mutant, pair] : attacks) {
      const Result<AuditCase> attack = mask_case(attacked, pair, mutant);
      if (!attack) {
        return error_of(attack);
      }
      cases.push_back(*attack);
    }
    fmt::print(
        "Audit of mask: {} runs on each of two neighbouring data sets (zero-row unless said "
        "otherwise, {} rows, {} "
        "columns), confidence 99.9%\n",
        runs, attacked.rows, attacked.dimension);
    RandomStream stream = seed ? RandomStream::seeded(*seed) : RandomStream::secure();
    fmt::print("  {:<66}{:>10}{:>10}\n", "", "epsilon >=", "claimed");
    bool wrong = false;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const AuditResult result = audit(cases[i], {runs, 1e-3, default_threads()}, stream);
      const bool is_mutant = attacks[i].first != MaskMutant::None;
      wrong = wrong || result.refuted() != is_mutant;
      fmt::print("  {:<66}{:>10.4f}{:>10.4f}   {}\n", result.name, result.lower_bound,
                 result.claimed, verdict(result, is_mutant));
    }
    if (wrong) {
      return input_output_error(
          "the audit did not come out as it must (see the table); a small "
          "budget needs more --runs before a mutant shows");
    }
    return {};
  }
};

}  // namespace

Command mask_audit() {
  return {"mask", "masked pseudo-data", [](CLI::App& app) {
            auto options = std::make_shared<MaskAuditOptions>();
            options->declare(app);
            return [options] { return options->run(); };
          }};
}

}  // namespace eigenveil::cli
