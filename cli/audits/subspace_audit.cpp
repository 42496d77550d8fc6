#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "audit/subspace_cases.hpp"
#include "cli/audits/audits.hpp"
#include "cli/options/checks.hpp"
#include "core/parallel.hpp"
#include "eigenveil/privacy/relation.hpp"

namespace eigenveil::cli {
namespace {

struct SubspaceAuditOptions {
  std::string method;
  double epsilon = 0.0;
  double delta = 0.0;
  std::string neighbours = "add-remove";
  std::uint64_t runs = 200'000;
  bool mutants = false;
  std::optional<std::uint64_t> seed;

  void declare(CLI::App& app);
  Outcome run() const;

 private:
  std::vector<SubspacePart> parts() const;
};

void SubspaceAuditOptions::declare(CLI::App& app) {
  app.add_option("--epsilon", epsilon, "budget, with --delta")->required();
  app.add_option("--delta", delta, "budget, with --epsilon")->required();
  if (method == "spiked-robust") {
    app.add_option("--neighbours", neighbours, "add-remove (default) or replace-one")
        ->check(one_of({"add-remove", "replace-one"}));
  }
  app.add_option("--runs", runs, "runs on each data set (default 200000)")
      ->check(whole_number(1000, 100'000'000));
  app.add_flag("--mutants", mutants,
               "attack broken versions too: every one within reach of the runs must be refuted");
  app.add_option("--seed", seed, "the same attack again, for tests")->check(whole_number(0));
}

std::vector<SubspacePart> SubspaceAuditOptions::parts() const {
  if (method == "spiked-robust") {
    return {SubspacePart::RobustGap, SubspacePart::RobustProjector};
  }
  return {method == "oja" ? SubspacePart::OjaBatch : SubspacePart::SpikedProjector};
}

constexpr double kMiss = 1e-3;  ///< chance that a mutant said to be within reach is not caught
constexpr std::uint64_t kMostRuns = 100'000'000;

/// Empty when these runs are sure to refute the mutant; otherwise what it would need.
std::string out_of_reach(const SubspaceAudit& request, SubspaceMutant mutant, const Loss& claim,
                         AuditSettings settings) {
  const double claimed = std::get<GaussianDp>(claim).mu;
  const double lost = claimed * excess_factor(request.part, mutant);
  if (guaranteed_mu(lost, settings, kMiss) > claimed) {
    return "";
  }
  while (settings.runs < kMostRuns) {
    settings.runs = std::min(2 * settings.runs, kMostRuns);
    if (guaranteed_mu(lost, settings, kMiss) > claimed) {
      return fmt::format("not attacked, needs --runs {}", settings.runs);
    }
  }
  return "not attacked, needs more than 100 million runs or a larger budget";
}

Outcome SubspaceAuditOptions::run() const {
  const Result<Budget> budget = check_budget(ApproxDp{epsilon, delta});
  const Result<Relation> relation = parse_relation(neighbours);
  if (!budget || !relation) {
    return budget ? error_of(relation) : error_of(budget);
  }
  RandomStream stream = seed ? RandomStream::seeded(*seed) : RandomStream::secure();
  const AuditSettings settings{runs, 1e-3, default_threads()};
  fmt::print("Audit of {}: {} runs on each of two neighbouring data sets, confidence 99.9%\n",
             method, runs);
  fmt::print("  {:<60}{:>10}{:>10}\n", "", "mu >=", "claimed");
  bool wrong = false;
  for (const SubspacePart part : parts()) {
    const SubspaceAudit request{part, {epsilon, delta}, *relation};
    std::vector<SubspaceMutant> versions = {SubspaceMutant::None};
    if (mutants) {
      const std::vector<SubspaceMutant> broken = subspace_mutants(request);
      versions.insert(versions.end(), broken.begin(), broken.end());
    }
    for (const SubspaceMutant version : versions) {
      const Result<AuditCase> attack = subspace_case(request, version);
      if (!attack) {
        return error_of(attack);
      }
      const bool is_mutant = version != SubspaceMutant::None;
      const std::string needs =
          is_mutant ? out_of_reach(request, version, attack->claim, settings) : "";
      if (!needs.empty()) {
        fmt::print("  {:<60}{}\n", attack->name, needs);
        continue;
      }
      const AuditResult result = audit(*attack, settings, stream);
      wrong = wrong || result.refuted() != is_mutant;
      fmt::print("  {:<60}{:>10.4f}{:>10.4f}   {}\n", result.name, result.lower_bound,
                 result.claimed, verdict(result, is_mutant));
    }
  }
  if (wrong) {
    return input_output_error("the audit did not come out as it must (see the table)");
  }
  return {};
}

}  // namespace

Command subspace_audit(const std::string& method) {
  return {method, "the noisy parts of this method, each at its share of the budget",
          [method](CLI::App& app) {
            auto options = std::make_shared<SubspaceAuditOptions>();
            options->method = method;
            options->declare(app);
            return [options] { return options->run(); };
          }};
}

}  // namespace eigenveil::cli
