// Attacks on orbit draws: claims stand, attacks reach most of what a pair can show, mutants fall.
#include <gtest/gtest.h>

#include <cmath>

#include "eigenveil/audit/orbit_cases.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test {
namespace {

constexpr double kEpsilon = 2.0;
constexpr int kAttacks = 12;

/// A mutant only has to be caught: its attack has power at 99.9%, as on the command line.
AuditResult attack(const OrbitAudit& request, OrbitMutant mutant) {
  RandomStream stream = RandomStream::seeded(seed_for("audit.orbit"));
  const AuditSettings settings = mutant == OrbitMutant::None
                                     ? AuditSettings{60'000, alpha_of("audit: orbit") / kAttacks, 2}
                                     : AuditSettings{150'000, 1e-3, 2};
  return audit(*orbit_case(request, mutant), settings, stream);
}

TEST(OrbitAttack, ClaimsStandAndMutantsAreRefuted) {
  for (const Relation relation : {Relation::AddRemove, Relation::ReplaceOne, Relation::ZeroRow}) {
    for (const OrbitPair pair :
         {OrbitPair::Worst, OrbitPair::EqualSpectra, OrbitPair::Empty, OrbitPair::LowRank}) {
      const OrbitAudit request{kEpsilon, relation, pair};
      // zero-row is add-remove with a public count: one pair is enough.
      if (!applies(request) || (relation == Relation::ZeroRow && pair != OrbitPair::Worst)) {
        continue;
      }
      const AuditResult honest = attack(request, OrbitMutant::None);
      EXPECT_FALSE(honest.refuted()) << honest.name << ' ' << honest.lower_bound;
      if (pair != OrbitPair::LowRank) {
        const double most = largest_direction_loss(request);
        EXPECT_LE(honest.lower_bound, most) << honest.name;
        EXPECT_GE(honest.lower_bound, 0.5 * most) << honest.name;
      }
      for (const OrbitMutant mutant : orbit_mutants(request)) {
        EXPECT_TRUE(attack(request, mutant).refuted()) << name_of(relation) << name_of(mutant);
      }
    }
  }
}

}  // namespace
}  // namespace eigenveil::test
