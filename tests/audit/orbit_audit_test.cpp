// Attacks on orbit draws. The law of every pair is known in closed form, so what an attack must
// show, and how many runs a mutant needs before it is refuted, are computed and not picked.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "audit/orbit_cases.hpp"
#include "audit/orbit_pairs.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::orbit_audit_test {
namespace {

constexpr std::array kEpsilons = {0.5, 1.0, 2.0, 4.0};
constexpr int kAttacks = 64;  // honest ones and mutants, at least
constexpr double kFalseAlarm = alpha_of("audit: orbit") / kAttacks;
constexpr double kMiss = alpha_of("audit: orbit power") / kAttacks;
constexpr double kConfidence = 1e-3;  ///< of the command line: what a mutant must fall to
constexpr std::uint64_t kMostRuns = 1U << 20U;
constexpr double kShown = 0.125;  ///< of the claim: decides how long an attack on the truth runs

std::vector<OrbitAudit> audits(double epsilon) {
  std::vector<OrbitAudit> all;
  for (const Relation relation : {Relation::AddRemove, Relation::ReplaceOne, Relation::ZeroRow}) {
    for (const OrbitPair pair :
         {OrbitPair::Worst, OrbitPair::EqualSpectra, OrbitPair::Empty, OrbitPair::LowRank}) {
      const OrbitAudit request{epsilon, relation, pair};
      // zero-row is add-remove with a public count: the pair with eigenvalues at one budget.
      const bool repeats =
          relation == Relation::ZeroRow && (pair != OrbitPair::LowRank || epsilon != 1.0);
      if (applies(request) && !repeats) {
        all.push_back(request);
      }
    }
  }
  return all;
}

std::string described(const OrbitAudit& request) {
  return std::string(name_of(request.relation)) + ", epsilon " + std::to_string(request.epsilon) +
         ", " + std::string(name_of(request.pair));
}

TEST(OrbitAttack, ClaimsStandAndAttacksShowWhatTheLawSays) {
  RandomStream stream = RandomStream::seeded(seed_for("audit.orbit"));
  for (const double epsilon : kEpsilons) {
    for (const OrbitAudit& request : audits(epsilon)) {
      SCOPED_TRACE(described(request));
      AuditSettings settings{kMostRuns, kFalseAlarm, 2};
      settings.runs = runs_to_show(kShown * epsilon, request, OrbitMutant::None, settings, kMiss);
      ASSERT_GT(settings.runs, 0U);
      const OrbitAttack attack = *orbit_attack(request, OrbitMutant::None, settings, kMiss);
      const AuditResult found = audit(attack.attack, settings, stream);
      EXPECT_FALSE(found.refuted()) << found.lower_bound;
      EXPECT_LE(attack.most, epsilon);
      EXPECT_LE(found.lower_bound, attack.most);
      EXPECT_GE(found.lower_bound, attack.guaranteed);
    }
  }
}

/// Of the pairs that can show a mutant, the one that needs the fewest runs.
struct Refutation {
  OrbitAudit request;
  std::uint64_t runs = 0;
};

std::map<std::pair<Relation, OrbitMutant>, Refutation> refutations(double epsilon) {
  std::map<std::pair<Relation, OrbitMutant>, Refutation> found;
  for (const OrbitAudit& request : audits(epsilon)) {
    for (const OrbitMutant mutant : orbit_mutants(request)) {
      Refutation& best = found[{request.relation, mutant}];
      const AuditSettings most{best.runs > 0 ? best.runs : kMostRuns, kConfidence, 2};
      const std::uint64_t runs = runs_to_show(epsilon, request, mutant, most, kMiss);
      if (runs > 0 && (best.runs == 0 || runs < best.runs)) {
        best = {request, runs};
      }
    }
  }
  return found;
}

TEST(OrbitAttack, MutantsAreRefutedWithTheRunsTheLawAsksFor) {
  RandomStream stream = RandomStream::seeded(seed_for("audit.orbit.mutants"));
  for (const double epsilon : kEpsilons) {
    const auto all = refutations(epsilon);
    EXPECT_EQ(all.size(), epsilon == 1.0 ? 6U : 5U);
    for (const auto& [key, refutation] : all) {
      const auto [relation, mutant] = key;
      SCOPED_TRACE(described({epsilon, relation, refutation.request.pair}) + ", " +
                   std::string(name_of(mutant)));
      ASSERT_GT(refutation.runs, 0U);
      const AuditSettings settings{refutation.runs, kConfidence, 2};
      const OrbitAttack attack = *orbit_attack(refutation.request, mutant, settings, kMiss);
      EXPECT_TRUE(audit(attack.attack, settings, stream).refuted());
    }
  }
}

/// The two pairs of the issue. Equal spectra have equal normalisers: half the claim and no more.
/// The empty table shows log E e^(c s) for s uniform, and the claim itself as the budget grows.
TEST(OrbitAttack, WhatAPairCanShowIsTheClosedForm) {
  for (const double epsilon : kEpsilons) {
    const AuditSettings settings{kMostRuns, kFalseAlarm, 2};
    const auto most = [&](Relation relation, OrbitPair pair) {
      return orbit_attack({epsilon, relation, pair}, OrbitMutant::None, settings, kMiss)->most;
    };
    // Of the epsilon that solver and blur leave to the draw.
    const double draw = orbit_draw_budget(PureDp{epsilon}, 2, 1).draw;
    EXPECT_NEAR(most(Relation::ReplaceOne, OrbitPair::EqualSpectra), draw / 2.0, 1e-6);
    EXPECT_GE(most(Relation::AddRemove, OrbitPair::Empty),
              draw / 2.0);  // Jensen: E e^(c s) >= e^(c / 2)
  }
  // Tight: log((e^c - 1) / c) / c tends to 1.
  for (const double epsilon : {10.0, 100.0}) {
    const detail::PairLaw law({epsilon, Relation::AddRemove, OrbitPair::Empty}, OrbitMutant::None,
                              {2, {1, 0}, {0, 0}});
    const double draw = orbit_draw_budget(PureDp{epsilon}, 2, 1).draw;
    EXPECT_NEAR(law.most(), draw - std::log(draw), 1e-4);
  }
}

}  // namespace
}  // namespace eigenveil::test::orbit_audit_test
