#include "audit/eigenvalue_cases.hpp"

#include <cmath>
#include <memory>

#include "audit/drawn_cases.hpp"
#include "audit/drawn_spending.hpp"
#include "core/distributions.hpp"
#include "mechanism/orbit/low_rank.hpp"

namespace eigenveil {
namespace {

/// Standard deviations of the noise between eigenvalues, so that sorting and clamping change none.
constexpr double kApart = 20.0;

struct EigenvalueAudit {
  AttackedTables tables;
  SpendingUnit unit;
  Spending claim;

  bool replaces() const { return tables.setting().relation == Relation::ReplaceOne; }
  double mu() const { return unit.mu() ? claim.inside : std::sqrt(2.0 * claim.inside); }
  /// Rows that lift an eigenvalue above the noise on one that a group of rows moves.
  std::size_t rows_apart() const {
    return static_cast<std::size_t>(std::ceil(2.0 * kApart * tables.setting().group_size / mu()));
  }
  AttackedTables::Rows rows(std::size_t first, std::size_t second) const {
    AttackedTables::Rows all(first, tables.row(0));
    all.insert(all.end(), second, tables.row(1));
    return all;
  }
};

Result<LowRankPlan> plan_of(const EigenvalueAudit& audit, const Spending& spent) {
  OrbitRequest request{audit.tables.bound(), audit.tables.scales(),
                       audit.unit.budget(audit.unit.total(spent)), audit.tables.setting().relation};
  request.group_size = audit.tables.setting().group_size;
  return LowRankPlan::make(request, audit.replaces() ? 2 : 1, audit.unit.share(spent));
}

struct KnownTable {
  ExactGram gram;
  Vector eigenvalues;  ///< in units of R², as many as are released
  double count = 0.0;
};

KnownTable known(const EigenvalueAudit& audit, const AttackedTables::Rows& rows, double first,
                 double second) {
  Vector values(audit.replaces() ? 2 : 1);
  values[0] = std::max(first, second);
  if (values.size() > 1) {
    values[1] = std::min(first, second);
  }
  return {audit.tables.gram(rows), values, static_cast<double>(rows.size())};
}

/// Log likelihood ratio of eigenvalues and count.
double measured_ratio(const NoisyEigenvalues& seen, const KnownTable& first,
                      const KnownTable& second) {
  const auto length2 = [](double apart) { return apart * apart; };
  double ratio = ((seen.values - second.eigenvalues).squaredNorm() -
                  (seen.values - first.eigenvalues).squaredNorm()) /
                 (2.0 * length2(seen.value_sd));
  if (seen.count_sd > 0.0) {
    ratio += (length2(seen.count - second.count) - length2(seen.count - first.count)) /
             (2.0 * length2(seen.count_sd));
  }
  return ratio;
}

/// Eigenvalues alone: rows along the first axis, or moved from there to the second. Together with
/// the direction: as many rows along both axes, so that the rows under attack also turn it.
Result<Attack> ratio_attack(const EigenvalueAudit& audit, bool together, const Mutant& version) {
  const Result<LowRankPlan> plan = plan_of(
      audit, {audit.claim.directions, audit.unit.for_noise(audit.claim.inside, version.factor)});
  if (!plan) {
    return error_of(plan);
  }
  const std::size_t base = audit.rows_apart();
  const auto group = static_cast<std::size_t>(audit.tables.setting().group_size);
  const std::size_t beside = together || audit.replaces() ? base : 0;
  const std::size_t along = audit.replaces() ? 2 * base : base;
  const auto pair =
      audit.tables.neighbours(audit.rows(along, beside), audit.tables.row(0), audit.tables.row(1));
  const auto size = [](std::size_t rows) { return static_cast<double>(rows); };
  const auto first = std::make_shared<const KnownTable>(
      known(audit, pair.first, size(along + group), size(beside)));
  const auto second = std::make_shared<const KnownTable>(
      known(audit, pair.second, size(along), size(beside + (audit.replaces() ? group : 0))));
  // A row adds the range of its share to the exponent along its own axis, whatever the spectrum.
  const double turned = together ? audit.unit.range(audit.claim.directions) : 0.0;
  const auto statistic = [=, plan = *plan, axis = audit.tables.axis(0)](bool on_first) {
    return [=](RandomStream& stream) {
      const LowRankDraw draw = plan.run(on_first ? first->gram : second->gram, stream)->value();
      const double largest = draw.eigenvalues.values[0];
      const double toward = axis.dot(draw.orbit.matrix.real() * axis) / largest;
      return measured_ratio(draw.eigenvalues, *first, *second) + turned * toward;
    };
  };
  Attack made;
  const double claimed = together ? audit.unit.total(audit.claim) : audit.claim.inside;
  made.attack = {
      (together ? "noisy eigenvalues and direction, " : "noisy eigenvalues alone, ") + version.name,
      audit.unit.loss(claimed), statistic(true), statistic(false)};
  if (!together) {
    const double power = normal_cdf(0.5 * audit.mu() * version.factor);
    made.attack.rule = AuditRule{0.0, 1.0, false};
    made.attack.exact = ExactTest{power, 1.0 - power};
  }
  return made;
}

}  // namespace

Result<std::vector<Attack>> gaussian_low_rank_attacks(const AuditRequest& request) {
  const Result<SpendingUnit> unit = SpendingUnit::of(request.budget);
  const Result<AttackedTables> tables = AttackedTables::make(request.setting, 2);
  if (!unit || !tables) {
    return unit ? Result<std::vector<Attack>>(error_of(tables)) : error_of(unit);
  }
  if (unit->pure()) {
    return bad_request("this audit attacks rho or mu; pure epsilon is attacked by lowrank");
  }
  Result<std::vector<Attack>> attacks = orbit_exponent_attacks(request);
  const EigenvalueAudit audit{*tables, *unit, unit->divide(request.variance_share)};
  std::vector<Mutant> versions = {{"as shipped", 1.0}};
  if (request.mutants) {
    versions.push_back({"mutant: noise x 0.9", 1.0 / 0.9});
    if (audit.replaces()) {
      versions.push_back({"mutant: relation factor missing", std::sqrt(2.0)});
    }
    for (const Mutant& mutant : setting_mutants(request.setting, 2)) {
      versions.push_back({"mutant: " + mutant.name, mutant.factor});
    }
  }
  const auto add = [&](bool together, const Mutant& version) {
    if (!attacks) {
      return;
    }
    Result<Attack> attack = ratio_attack(audit, together, version);
    if (!attack) {
      attacks = error_of(attack);
      return;
    }
    attack->kind = version.factor == 1.0 ? AttackKind::Shipped : AttackKind::Mutant;
    attacks->push_back(*std::move(attack));
  };
  for (const Mutant& version : versions) {
    add(false, version);
  }
  if (!audit.replaces()) {
    add(true, versions.front());
  }
  return attacks;
}

}  // namespace eigenveil
