#include "audit/audits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "audit/drawn_cases.hpp"
#include "audit/eigenvalue_cases.hpp"
#include "audit/low_bits.hpp"
#include "audit/mask_cases.hpp"
#include "audit/moment_cases.hpp"
#include "audit/orbit_cases.hpp"
#include "audit/sharp_trade_off.hpp"
#include "audit/spectral_cases.hpp"
#include "audit/stage_cases.hpp"
#include "audit/subspace_learning_cases.hpp"
#include "audit/table_cases.hpp"
#include "core/suggestion.hpp"

namespace eigenveil {
namespace {

using Attacks = Result<std::vector<Attack>>;

constexpr double kMiss = 1e-3;  ///< chance that a mutant said to be within reach is not caught
constexpr std::uint64_t kMostRuns = std::uint64_t{1} << 26U;

const std::vector<Relation> kRowRelations = {Relation::AddRemove, Relation::ReplaceOne,
                                             Relation::ZeroRow};
const std::vector<Relation> kCountedRelations = {Relation::ZeroRow, Relation::ReplaceOne};
const ApproxDp kLargePair{5.0, 1e-3};
constexpr AuditTakes kMoment{.dimension = true, .private_mean = true};

}  // namespace

std::vector<AttackSetting> AuditedMethod::settings() const {
  std::vector<AttackSetting> all;
  for (const Relation relation : relations) {
    all.push_back({relation, AttackedBound::UnitNorm, 1});
  }
  if (bounds_rows) {
    all.push_back({relations[0], AttackedBound::RowNorm, 1});
    all.push_back({relations[0], AttackedBound::Ranges, 1});
    for (const Relation relation : relations) {
      if (relation == relations[0] || relation == Relation::ReplaceOne) {
        all.push_back({relation, AttackedBound::RowNorm, 2});
      }
    }
  }
  return all;
}

const std::vector<AuditedMethod>& audited_methods() {
  static const std::vector<AuditedMethod> methods = {
      {"gauss", "the second moment by this method", GaussianDp{1.0}, 60'000, kRowRelations, true,
       [](const AuditRequest& request) { return moment_attacks("gauss", request); }, kMoment},
      {"laplace", "the second moment by this method", PureDp{2.0}, 250'000, kRowRelations, true,
       [](const AuditRequest& request) { return moment_attacks("laplace", request); }, kMoment},
      {"wishart", "the second moment by this method", PureDp{2.0}, 250'000, kRowRelations, true,
       [](const AuditRequest& request) { return moment_attacks("wishart", request); }, kMoment},
      {"exponential",
       "one component by the exponential mechanism",
       PureDp{3.0},
       80'000,
       kRowRelations,
       true,
       [](const AuditRequest& request) { return drawn_attacks("exponential", request); },
       {.variance_share = true}},
      {"orbit",
       "several components at pure epsilon: a drawn projection and what is inside it",
       PureDp{3.0},
       80'000,
       kRowRelations,
       true,
       [](const AuditRequest& request) { return drawn_attacks("orbit", request); },
       {.variance_share = true}},
      {"exponential-mu", "the same at a mu, which buys the range of the draw", GaussianDp{1.5},
       80'000, kRowRelations, true,
       [](const AuditRequest& request) { return drawn_attacks("exponential", request); }},
      {"orbit-mu", "orbit at a mu", GaussianDp{1.5}, 80'000, kRowRelations, false,
       [](const AuditRequest& request) { return drawn_attacks("orbit", request); }},
      {"lowrank-mu", "draws on unitary orbits at a mu, with Gaussian noise on eigenvalues",
       GaussianDp{1.0}, 100'000, kRowRelations, true, gaussian_low_rank_attacks},
      {"lowrank", "draws on unitary orbits, with public and with noisy eigenvalues", PureDp{2.0},
       100'000, kRowRelations, true, low_rank_attacks},
      {"low-bits",
       "the last digits of what is drawn in doubles: trace, rank, norm",
       PureDp{0.1},
       200'000,
       {Relation::AddRemove, Relation::ZeroRow},
       false,
       low_bits_attacks},
      {"sharp",
       "the draw at p = 200 against its asymptotic mu",
       GaussianDp{1.0},
       20'000,
       {Relation::AddRemove},
       false,
       sharp_attacks},
      {"spiked",
       "its projector, and a pair that its model does not cover",
       ApproxDp{1.0, 1e-5},
       500'000,
       {Relation::IndependentCopy},
       false,
       [](const AuditRequest& request) { return spectral_attacks("spiked", request); }},
      {"spiked-robust", "gap, projector and matrix inside, each at its share", kLargePair, 100'000,
       kRowRelations, true,
       [](const AuditRequest& request) { return spectral_attacks("spiked-robust", request); }},
      {"oja", "one batch of the stream", kLargePair, 60'000, kCountedRelations, true,
       [](const AuditRequest& request) { return spectral_attacks("oja", request); }},
      {"mask",
       "masked pseudo-data",
       ApproxDp{1.0, 0.05},
       400'000,
       kCountedRelations,
       true,
       mask_attacks,
       {.dimension = true, .rows = true}},
      {"mask-gauss", "pseudo-data from a noisy second moment", GaussianDp{1.0}, 60'000,
       kCountedRelations, true,
       [](const AuditRequest& request) { return moment_attacks("mask-gauss", request); }},
      {"subspace",
       "gap rule, vote histogram, weighing and average of the stable core",
       ApproxDp{2.0, 0.05},
       20'000,
       {Relation::ReplaceOne},
       false,
       subspace_learning_attacks},
      {"people",
       "the second moment of people with more rows than count, read through their stage",
       GaussianDp{1.0},
       60'000,
       {Relation::AddRemove, Relation::ReplaceOne},
       false,
       people_attacks},
      {"stages",
       "rows far outside of every bound, read through the stages: pairwise, weights, basis and "
       "what it leaves out, norm 1",
       GaussianDp{1.0},
       60'000,
       {Relation::AddRemove, Relation::ReplaceOne},
       false,
       stage_attacks},
      {"histogram", "noisy histograms of several columns", GaussianDp{1.0}, 60'000, kRowRelations,
       false, histogram_attacks}};
  return methods;
}

Result<AuditedMethod> find_audit(std::string_view name) {
  std::vector<std::string> names;
  for (const AuditedMethod& method : audited_methods()) {
    if (method.name == name) {
      return method;
    }
    names.push_back(method.name);
  }
  return bad_request(fmt::format("there are attacks on {}{}", fmt::join(names, ", "),
                                 did_you_mean(std::string(name), names)));
}

AuditRequest default_request(const AuditedMethod& method) {
  AuditRequest request;
  request.budget = method.budget;
  request.setting.relation = method.relations[0];
  request.settings = {method.runs, kAttackError, 1};
  return request;
}

std::string Finding::verdict() const {
  switch (kind) {
    case AttackKind::Outside:
      return result.refuted() ? "not covered by the guarantee" : "not shown by these runs";
    case AttackKind::Shipped:
      return result.refuted() ? "CLAIM REFUTED" : "claim stands";
    case AttackKind::Mutant:
      break;
  }
  if (result.refuted()) {
    return "refuted, as it must be";
  }
  if (!out_of_reach.empty()) {
    return "not caught: " + out_of_reach;
  }
  return fmt::format("not caught: {} runs needed", needed > 0 ? std::to_string(needed) : "more");
}

bool Finding::wrong() const {
  return kind == AttackKind::Shipped
             ? result.refuted()
             : is_mutant() && !result.refuted() && needed == 0 && out_of_reach.empty();
}

namespace {

Result<void> check_request(const AuditedMethod& method, const AuditRequest& request) {
  const AttackSetting& setting = request.setting;
  if (std::find(method.relations.begin(), method.relations.end(), setting.relation) ==
      method.relations.end()) {
    std::vector<std::string_view> names;
    for (const Relation relation : method.relations) {
      names.push_back(name_of(relation));
    }
    return bad_request(fmt::format("{} is attacked under {}", method.name, fmt::join(names, ", ")));
  }
  if (!method.bounds_rows &&
      (setting.bound != AttackedBound::UnitNorm || setting.group_size != 1)) {
    return bad_request(
        fmt::format("{} is attacked on one row and its own tables; leave out bounds and group size",
                    method.name));
  }
  return check_budget(request.budget).map([](const Budget&) {});
}

}  // namespace

Result<std::vector<Finding>> run_audit(const AuditedMethod& method, const AuditRequest& request,
                                       RandomStream& stream,
                                       const std::function<void(const Finding&)>& seen) {
  const Attacks attacks =
      check_request(method, request).and_then([&] { return method.attacks(request); });
  if (!attacks) {
    return error_of(attacks);
  }
  std::vector<Finding> findings;
  for (const Attack& one : *attacks) {
    AuditSettings settings = request.settings;
    settings.runs = one.most_runs > 0 ? std::min(settings.runs, one.most_runs) : settings.runs;
    Finding finding{method.bounds_rows ? describe(request.setting)
                                       : std::string(name_of(request.setting.relation)),
                    audit(one.attack, settings, stream), one.kind, 0, one.out_of_reach};
    if (finding.is_mutant() && !finding.result.refuted()) {
      const AuditSettings most{kMostRuns, request.settings.error, 1};
      // Runs that should have been enough are no excuse.
      const std::uint64_t needed = runs_to_refute(one.attack, most, kMiss);
      finding.needed = needed > request.settings.runs ? needed : 0;
    }
    findings.push_back(std::move(finding));
    if (seen) {
      seen(findings.back());
    }
  }
  return findings;
}

}  // namespace eigenveil
