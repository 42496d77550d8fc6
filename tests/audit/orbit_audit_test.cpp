// Attacks on orbit draws. The law of every pair is known in closed form, so what an attack must
// show is computed and not picked.
#include <gtest/gtest.h>

#include <cmath>

#include "audit/orbit_cases.hpp"
#include "audit/orbit_pairs.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::orbit_audit_test {
namespace {

constexpr std::array kEpsilons = {0.5, 1.0, 2.0, 4.0};
constexpr int kAttacks = 8;
constexpr double kFalseAlarm = alpha_of("audit: orbit") / kAttacks;
constexpr double kMiss = alpha_of("audit: orbit power") / kAttacks;
constexpr AuditSettings kSettings{60'000, kFalseAlarm, 2};

OrbitAudit request_of(double epsilon, Relation relation, OrbitPair pair) {
  return {epsilon, {relation, AttackedBound::UnitNorm, 1}, pair};
}

TEST(OrbitAttack, ShowsWhatTheLawSays) {
  RandomStream stream = RandomStream::seeded(seed_for("audit.orbit"));
  for (const Relation relation : {Relation::AddRemove, Relation::ReplaceOne}) {
    for (const OrbitPair pair : {OrbitPair::Worst, OrbitPair::EqualSpectra, OrbitPair::Empty,
                                 OrbitPair::LowRank, OrbitPair::Eigenvalues}) {
      const OrbitAudit request = request_of(2.0, relation, pair);
      if (!applies(request)) {
        continue;
      }
      SCOPED_TRACE(std::string(name_of(relation)) + ", " + std::string(name_of(pair)));
      const OrbitAttack attack = *orbit_attack(request, {}, kSettings, kMiss);
      const AuditResult found = audit(attack.attack, kSettings, stream);
      EXPECT_LE(attack.most, request.epsilon);
      EXPECT_LE(found.lower_bound, attack.most);
      EXPECT_GE(found.lower_bound, attack.guaranteed);
      EXPECT_GT(attack.guaranteed, 0.0);
    }
  }
}

/// The two pairs of the issue. Equal spectra have equal normalisers: half the claim and no more.
/// The empty table shows log E e^(c s) for s uniform, and the claim itself as the budget grows.
TEST(OrbitAttack, WhatAPairCanShowIsTheClosedForm) {
  for (const double epsilon : kEpsilons) {
    const auto most = [&](Relation relation, OrbitPair pair) {
      return orbit_attack(request_of(epsilon, relation, pair), {}, kSettings, kMiss)->most;
    };
    // Of the epsilon that solver and blur leave to the draw.
    const double draw = orbit_draw_budget(PureDp{epsilon}, 2, 1).draw;
    EXPECT_NEAR(most(Relation::ReplaceOne, OrbitPair::EqualSpectra), draw / 2.0, 1e-6);
    EXPECT_GE(most(Relation::AddRemove, OrbitPair::Empty),
              draw / 2.0);  // Jensen: E e^(c s) >= e^(c / 2)
  }
  // Tight: log((e^c - 1) / c) / c tends to 1.
  for (const double epsilon : {10.0, 100.0}) {
    const detail::PairLaw law(request_of(epsilon, Relation::AddRemove, OrbitPair::Empty), {},
                              {2, {1, 0}, {0, 0}});
    const double draw = orbit_draw_budget(PureDp{epsilon}, 2, 1).draw;
    EXPECT_NEAR(law.most(), draw - std::log(draw), 1e-4);
  }
}

}  // namespace
}  // namespace eigenveil::test::orbit_audit_test
