#include "audit/orbit_cases.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <utility>

#include "audit/orbit_pairs.hpp"

namespace eigenveil {
namespace {

using detail::AxisPair;
using detail::AxisRows;
using detail::PairLaw;

constexpr double kOutside = -1.0;  ///< statistic of a release outside the event; s is not negative

ExactGram gram_of(const AxisRows& rows, const RowBound& bound, std::size_t zero_rows) {
  Schema schema;
  schema.columns.assign(bound.dimension(), "x");
  GramAccumulator accumulator(schema, bound, 1);
  const auto add = [&](std::size_t axis, std::size_t times, double length) {
    std::vector<double> row(bound.dimension(), 0.0);
    row[axis] = length;
    for (std::size_t i = 0; i < times; ++i) {
      static_cast<void>(accumulator.add(row.data(), 1));
    }
  };
  add(0, static_cast<std::size_t>(rows[0]), 1.0);
  add(1, static_cast<std::size_t>(rows[1]), 1.0);
  add(0, zero_rows, 0.0);
  return accumulator.finish().value();
}

/// Everything an attack needs; alive as long as the case.
struct Attack {
  OrbitAudit audited;
  OrbitMutant mutant;
  AxisPair pair;
  OrbitRequest request;
  ExactGram first;
  ExactGram second;
};

Attack attack_on(const OrbitAudit& audited, OrbitMutant mutant, const AxisPair& pair) {
  OrbitRequest request = detail::orbit_request(audited, pair.dimension);
  const auto total = [](const AxisRows& rows) { return rows[0] + rows[1]; };
  // zero-row: the row is there on both sides
  const int zero_rows =
      audited.relation == Relation::ZeroRow ? total(pair.first) - total(pair.second) : 0;
  ExactGram first = gram_of(pair.first, request.bound, 0);
  ExactGram second = gram_of(pair.second, request.bound, static_cast<std::size_t>(zero_rows));
  return {audited, mutant, pair, std::move(request), std::move(first), std::move(second)};
}

using Statistic = std::function<double(const ExactGram&, RandomStream&)>;

/// Algorithm 1 on the orbit of rank-one projections: s = H_11. A mutant is the shipped plan at a
/// budget, or for neighbours, that are not claimed.
Statistic directions_statistic(const Attack& attack) {
  OrbitRequest request = attack.request;
  if (attack.mutant == OrbitMutant::ExponentDoubled) {
    request.budget = PureDp{2.0 * attack.audited.epsilon};
  } else if (attack.mutant == OrbitMutant::AddRemoveExponent) {
    request.relation = Relation::AddRemove;
  }
  return [plan = *OrbitPlan::make(request, Vector::Ones(1))](const ExactGram& gram,
                                                             RandomStream& stream) {
    return plan.run(gram, stream)->value().matrix(0, 0).real();
  };
}

/// Algorithm 2 in two dimensions: s of H = l_2 I + (l_1 - l_2) u u*, where the eigenvalues and the
/// count look like those of the first table (then l_1 > l_2).
Statistic low_rank_statistic(const Attack& attack) {
  const LowRankPlan plan = *detail::audited_low_rank_plan(attack.audited, attack.mutant);
  return [plan, audited = attack.audited, pair = attack.pair](const ExactGram& gram,
                                                              RandomStream& stream) {
    const LowRankDraw draw = plan.run(gram, stream)->value();
    const Vector& l = draw.eigenvalues.values;
    const double smaller = l.size() > 1 ? l[1] : 0.0;
    if (!detail::looks_like_first(audited, pair, draw.eigenvalues) || !(l[0] > smaller)) {
      return kOutside;
    }
    return (draw.orbit.matrix(0, 0).real() - smaller) / (l[0] - smaller);
  };
}

/// The threshold with the largest guaranteed bound, from far in the tail to the middle.
std::pair<AuditRule, double> best_rule(const PairLaw& law, const AuditSettings& settings,
                                       double miss) {
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

BestPair best_pair(const OrbitAudit& request, OrbitMutant mutant, const AuditSettings& settings,
                   double miss) {
  BestPair best;
  for (const AxisPair& pair : detail::candidate_pairs(request)) {
    const auto [rule, guaranteed] = best_rule(PairLaw(request, mutant, pair), settings, miss);
    if (guaranteed > best.guaranteed) {
      best = {pair, rule, guaranteed};
    }
  }
  return best;
}

std::string case_name(const OrbitAudit& request, OrbitMutant mutant, const AxisPair& pair) {
  const std::string size = request.pair == OrbitPair::Worst ? fmt::format(" ({})", pair.first[1])
                           : request.pair == OrbitPair::Empty
                               ? fmt::format(" (d = {})", pair.dimension)
                               : "";
  return fmt::format("{}{}, {}", name_of(request.pair), size, name_of(mutant));
}

}  // namespace

std::string_view name_of(OrbitMutant mutant) {
  switch (mutant) {
    case OrbitMutant::None:
      return "as shipped";
    case OrbitMutant::ExponentDoubled:
      return "mutant: exponent doubled";
    case OrbitMutant::AddRemoveExponent:
      return "mutant: add-remove exponent";
    case OrbitMutant::EigenvaluesNotCounted:
      return "mutant: eigenvalue budget not counted";
  }
  return "unknown";
}

std::string_view name_of(OrbitPair pair) {
  switch (pair) {
    case OrbitPair::Worst:
      return "hiding rows";
    case OrbitPair::EqualSpectra:
      return "equal spectra";
    case OrbitPair::Empty:
      return "empty table";
    case OrbitPair::LowRank:
      return "lowrank";
  }
  return "unknown";
}

bool applies(const OrbitAudit& request) {
  if (request.pair == OrbitPair::EqualSpectra) {
    return request.relation == Relation::ReplaceOne;
  }
  return request.pair != OrbitPair::Empty || request.relation != Relation::ReplaceOne;
}

std::vector<OrbitMutant> orbit_mutants(const OrbitAudit& request) {
  std::vector<OrbitMutant> possible = {OrbitMutant::ExponentDoubled};
  if (request.pair == OrbitPair::LowRank) {
    possible = {OrbitMutant::EigenvaluesNotCounted};
  } else if (request.relation == Relation::ReplaceOne) {
    possible.push_back(OrbitMutant::AddRemoveExponent);
  }
  std::erase_if(possible, [&](OrbitMutant mutant) {
    const std::vector<AxisPair> pairs = detail::candidate_pairs(request);
    return std::none_of(pairs.begin(), pairs.end(), [&](const AxisPair& pair) {
      return PairLaw(request, mutant, pair).most() > request.epsilon * (1.0 + 1e-6);
    });
  });
  return possible;
}

Result<OrbitAttack> orbit_attack(const OrbitAudit& request, OrbitMutant mutant,
                                 const AuditSettings& settings, double miss) {
  if (!applies(request)) {
    return bad_request("this pair is not one of neighbours for the relation asked for");
  }
  if (const Result<LowRankPlan> plan = detail::audited_low_rank_plan(request, mutant); !plan) {
    return error_of(plan);
  }
  const BestPair best = best_pair(request, mutant, settings, miss);
  const auto attack = std::make_shared<const Attack>(attack_on(request, mutant, best.pair));
  const Statistic statistic = request.pair == OrbitPair::LowRank ? low_rank_statistic(*attack)
                                                                 : directions_statistic(*attack);
  AuditCase made{
      case_name(request, mutant, best.pair), PureDp{request.epsilon},
      [attack, statistic](RandomStream& stream) { return statistic(attack->first, stream); },
      [attack, statistic](RandomStream& stream) { return statistic(attack->second, stream); },
      best.rule};
  return OrbitAttack{std::move(made), best.guaranteed, PairLaw(request, mutant, best.pair).most()};
}

std::uint64_t runs_to_show(double loss, const OrbitAudit& request, OrbitMutant mutant,
                           const AuditSettings& most_runs, double miss) {
  for (std::uint64_t runs = 1024; runs <= most_runs.runs; runs *= 2) {
    if (best_pair(request, mutant, {runs, most_runs.error, 1}, miss).guaranteed > loss) {
      return runs;
    }
  }
  return 0;
}

}  // namespace eigenveil
