#include "audit/orbit_cases.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <utility>

#include "audit/drawn_cases.hpp"
#include "audit/orbit_pairs.hpp"

namespace eigenveil {
namespace {

using detail::AxisPair;
using detail::AxisRows;
using detail::PairLaw;

constexpr double kOutside = -1.0;  ///< statistic of a release outside the event; s is not negative

constexpr AuditRule kEventAlone{-0.5, 1.0, false};  ///< every direction
constexpr double kShownLess = 1e-3;  ///< chance that an attack shows less than it is said to

/// Everything an attack needs; alive as long as the case.
struct Attacked {
  AxisPair pair;
  ExactGram first;
  ExactGram second;
};

Attacked attacked(const OrbitAudit& request, const AxisPair& pair) {
  const AttackedTables tables = detail::axis_tables(request, pair.dimension);
  const auto gram_of = [&](const AxisRows& rows, int zero_rows) {
    AttackedTables::Rows all(static_cast<std::size_t>(rows[0]), tables.row(0));
    all.insert(all.end(), static_cast<std::size_t>(rows[1]), tables.row(1));
    all.insert(all.end(), static_cast<std::size_t>(zero_rows), Vector::Zero(pair.dimension));
    return tables.gram(all);
  };
  const auto total = [](const AxisRows& rows) { return rows[0] + rows[1]; };
  // zero-row: the row is there on both sides
  const int zero_rows =
      request.setting.relation == Relation::ZeroRow ? total(pair.first) - total(pair.second) : 0;
  return {pair, gram_of(pair.first, 0), gram_of(pair.second, zero_rows)};
}

using Statistic = std::function<double(const ExactGram&, RandomStream&)>;

/// Algorithm 1 on the orbit of rank-one projections: s along the first axis.
Statistic directions_statistic(const OrbitAudit& request, const OrbitVersion& version,
                               const AxisPair& pair) {
  const OrbitRequest planned = detail::orbit_request(request, pair.dimension, version.directions);
  return [plan = *OrbitPlan::make(planned, Vector::Ones(1)),
          axis = detail::axis_tables(request, pair.dimension).axis(0)](const ExactGram& gram,
                                                                       RandomStream& stream) {
    const OrbitDraw draw = plan.run(gram, stream)->value();
    return axis.dot(draw.matrix.real() * axis);
  };
}

/// Algorithm 2 in two dimensions: s of H = l_2 I + (l_1 - l_2) u u*, where the eigenvalues and the
/// count look like those of the first table (then l_1 > l_2).
Statistic low_rank_statistic(const OrbitAudit& request, const OrbitVersion& version,
                             const AxisPair& pair) {
  return [plan = *detail::audited_low_rank_plan(request, version), request, pair,
          axis = detail::axis_tables(request, 2).axis(0)](const ExactGram& gram,
                                                          RandomStream& stream) {
    const LowRankDraw draw = plan.run(gram, stream)->value();
    const Vector& l = draw.eigenvalues.values;
    const double smaller = l.size() > 1 ? l[1] : 0.0;
    if (!detail::looks_like_first(request, pair, draw.eigenvalues) || !(l[0] > smaller)) {
      return kOutside;
    }
    const double along = axis.dot(draw.orbit.matrix.real() * axis);
    return std::max(0.0, (along - smaller) / (l[0] - smaller));
  };
}

/// The threshold with the largest guaranteed bound, from far in the tail to the middle.
std::pair<AuditRule, double> best_rule(OrbitPair pair, const PairLaw& law,
                                       const AuditSettings& settings, double miss) {
  if (pair == OrbitPair::Eigenvalues) {
    return {kEventAlone, guaranteed_epsilon(law.test(kEventAlone), settings, miss)};
  }
  std::pair<AuditRule, double> best{{}, -1.0};
  for (int step = 1; step < 48; ++step) {
    const double end = std::exp2(-step / 4.0);
    std::vector<AuditRule> rules = {{1.0 - end, 1.0, false}};
    if (law.can_swap()) {
      rules.push_back({end, -1.0, true});
    }
    for (const AuditRule& rule : rules) {
      const double bound = guaranteed_epsilon(law.test(rule), settings, miss);
      if (bound > best.second) {
        best = {rule, bound};
      }
    }
  }
  return best;
}

struct BestPair {
  AxisPair pair;
  AuditRule rule;
  double guaranteed = -1.0;
};

BestPair best_pair(const OrbitAudit& request, const OrbitVersion& version,
                   const AuditSettings& settings, double miss) {
  BestPair best;
  for (const AxisPair& pair : detail::candidate_pairs(request)) {
    const auto [rule, guaranteed] =
        best_rule(request.pair, PairLaw(request, version, pair), settings, miss);
    if (guaranteed > best.guaranteed) {
      best = {pair, rule, guaranteed};
    }
  }
  return best;
}

std::string case_name(const OrbitAudit& request, const OrbitVersion& version,
                      const AxisPair& pair) {
  const std::string size = request.pair == OrbitPair::Worst ? fmt::format(" ({})", pair.first[1])
                           : request.pair == OrbitPair::Empty
                               ? fmt::format(" (d = {})", pair.dimension)
                               : "";
  return fmt::format("{}{}, {}", name_of(request.pair), size, version.name);
}

/// What is claimed of the part a pair shows.
double claimed_epsilon(const OrbitAudit& request) {
  return request.pair == OrbitPair::Eigenvalues ? detail::kAuditedEigenvalueShare * request.epsilon
                                                : request.epsilon;
}

std::vector<OrbitVersion> versions_of(const OrbitAudit& request, bool mutants) {
  std::vector<OrbitVersion> versions = {{}};
  if (!mutants) {
    return versions;
  }
  const std::vector<Mutant> general = setting_mutants(request.setting, 2);
  if (request.pair == OrbitPair::LowRank) {
    versions.push_back({"mutant: eigenvalue budget not counted",
                        1.0 / (1.0 - detail::kAuditedEigenvalueShare), 1.0});
  } else if (request.pair == OrbitPair::Eigenvalues) {
    versions.push_back({"mutant: noise x 0.9", 1.0, 1.0 / 0.9});
    for (const Mutant& mutant : general) {
      versions.push_back({"mutant: " + mutant.name, 1.0, mutant.factor});
    }
  } else {
    versions.push_back({"mutant: exponent doubled", 2.0, 1.0});
    for (const Mutant& mutant : general) {
      versions.push_back({"mutant: " + mutant.name, mutant.factor, 1.0});
    }
  }
  return versions;
}

}  // namespace

std::string_view name_of(OrbitPair pair) {
  switch (pair) {
    case OrbitPair::Worst:
      return "hiding rows";
    case OrbitPair::EqualSpectra:
      return "equal spectra";
    case OrbitPair::Empty:
      return "empty table";
    case OrbitPair::LowRank:
      return "noisy eigenvalues and directions";
    case OrbitPair::Eigenvalues:
      return "noisy eigenvalues alone";
  }
  return "unknown";
}

bool applies(const OrbitAudit& request) {
  const bool replaces = request.setting.relation == Relation::ReplaceOne;
  if (request.pair == OrbitPair::EqualSpectra) {
    return replaces;
  }
  return request.pair != OrbitPair::Empty || !replaces;
}

Result<OrbitAttack> orbit_attack(const OrbitAudit& request, const OrbitVersion& version,
                                 const AuditSettings& settings, double miss) {
  if (!applies(request)) {
    return bad_request("this pair is not one of neighbours for the relation asked for");
  }
  if (const Result<LowRankPlan> plan = detail::audited_low_rank_plan(request, version); !plan) {
    return error_of(plan);
  }
  const BestPair best = best_pair(request, version, settings, miss);
  const auto tables = std::make_shared<const Attacked>(attacked(request, best.pair));
  const Statistic statistic = detail::is_low_rank(request.pair)
                                  ? low_rank_statistic(request, version, best.pair)
                                  : directions_statistic(request, version, best.pair);
  const PairLaw law(request, version, best.pair);
  AuditCase made{
      case_name(request, version, best.pair), PureDp{claimed_epsilon(request)},
      [tables, statistic](RandomStream& stream) { return statistic(tables->first, stream); },
      [tables, statistic](RandomStream& stream) { return statistic(tables->second, stream); },
      best.rule};
  made.exact = law.test(best.rule);
  const double most = request.pair == OrbitPair::Eigenvalues
                          ? std::log(made.exact->power / made.exact->false_alarm)
                          : law.most();
  return OrbitAttack{std::move(made), best.guaranteed, most};
}

Result<std::vector<Attack>> low_rank_attacks(const AuditRequest& request) {
  const auto* pure = std::get_if<PureDp>(&request.budget);
  if (pure == nullptr) {
    return bad_request("this audit attacks pure epsilon; rho or mu is attacked by lowrank-mu");
  }
  Result<std::vector<Attack>> attacks = orbit_exponent_attacks(request);
  if (!attacks) {
    return attacks;
  }
  for (const OrbitPair pair : {OrbitPair::Worst, OrbitPair::EqualSpectra, OrbitPair::Empty,
                               OrbitPair::LowRank, OrbitPair::Eigenvalues}) {
    const OrbitAudit audit{pure->epsilon, request.setting, pair};
    if (!applies(audit)) {
      continue;
    }
    for (const OrbitVersion& version : versions_of(audit, request.mutants)) {
      Result<OrbitAttack> attack = orbit_attack(audit, version, request.settings, kShownLess);
      if (!attack) {
        return error_of(attack);
      }
      const bool is_mutant = version.directions != 1.0 || version.eigenvalues != 1.0;
      const bool blind = is_mutant && attack->most <= claimed_epsilon(audit) * (1.0 + 1e-6);
      attacks->push_back(
          {std::move(attack->attack), is_mutant ? AttackKind::Mutant : AttackKind::Shipped,
           blind ? fmt::format("this pair shows at most {:.3f}", attack->most) : ""});
    }
  }
  return attacks;
}

}  // namespace eigenveil
