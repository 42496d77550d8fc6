#include "eigenveil/audit/orbit_cases.hpp"

#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include "eigenveil/mechanism/low_rank.hpp"
#include "eigenveil/mechanism/orbit.hpp"

namespace eigenveil {
namespace {

/// Most of the budget on eigenvalues: what is spent twice then shows best.
constexpr double kEigenvalueShare = 0.9;

/// Rows along the two axes: M = diag(first, second).
using AxisRows = std::array<int, 2>;

struct AxisPair {
  AxisRows first;
  AxisRows second;
};

AxisPair rows_of(const OrbitAudit& request) {
  const bool replaces = request.relation == Relation::ReplaceOne;
  // More of them come closer to the claim, and make what shows it rarer by exp(-epsilon) each.
  const int others = request.epsilon < 1.5 ? 2 : 1;
  switch (request.pair) {
    case OrbitPair::EqualSpectra:
      return {{2, 1}, {1, 2}};
    case OrbitPair::Empty:
      return {{1, 0}, {0, 0}};
    case OrbitPair::LowRank:
      return replaces ? AxisPair{{3, 0}, {2, 1}} : AxisPair{{3, 0}, {2, 0}};
    default:
      return replaces ? AxisPair{{1, others}, {0, others + 1}} : AxisPair{{1, others}, {0, others}};
  }
}

Result<ExactGram> gram_of(const AxisRows& rows, const RowBound& bound, std::size_t zero_rows) {
  Schema schema;
  schema.columns.assign(2, "x");
  GramAccumulator accumulator(schema, bound, 1);
  const auto add = [&](double x, double y, std::size_t times) {
    const std::array<double, 2> row = {x, y};
    for (std::size_t i = 0; i < times; ++i) {
      static_cast<void>(accumulator.add(row.data(), 1));
    }
  };
  add(1.0, 0.0, static_cast<std::size_t>(rows[0]));
  add(0.0, 1.0, static_cast<std::size_t>(rows[1]));
  add(0.0, 0.0, zero_rows);
  return accumulator.finish();
}

/// log of the integral of exp(c (m_1 s + m_2 (1 - s))) over s in [0, 1].
double log_normaliser(double c, const AxisRows& rows) {
  const double a = c * rows[0];
  const double b = c * rows[1];
  const double gap = std::abs(a - b);
  return std::max(a, b) + (gap > 0.0 ? std::log(-std::expm1(-gap) / gap) : 0.0);
}

double direction_ratio(double c, const AxisPair& pair, double s) {
  const double score =
      (pair.first[0] - pair.second[0]) * s + (pair.first[1] - pair.second[1]) * (1.0 - s);
  return c * score - (log_normaliser(c, pair.first) - log_normaliser(c, pair.second));
}

/// Everything an attack needs; alive as long as the case.
struct Attack {
  AxisPair rows;
  ExactGram first;
  ExactGram second;
  OrbitRequest request;
  OrbitMutant mutant;
};

PureDp budget_of(const Attack& attack) {
  return std::get<PureDp>(attack.request.budget);
}

/// The exponent for eigenvalues 1, 0, as the mutant runs it.
double exponent_of(const Attack& attack, PureDp directions) {
  const Relation relation = attack.mutant == OrbitMutant::AddRemoveExponent
                                ? Relation::AddRemove
                                : attack.request.relation;
  const double exponent =
      *orbit_exponent(directions, relation, Vector::Ones(1), 2, attack.request.calibration);
  return attack.mutant == OrbitMutant::ExponentDoubled ? 2.0 * exponent : exponent;
}

/// Algorithm 1 on the orbit of rank-one projections.
double directions_statistic(const Attack& attack, const ExactGram& gram, RandomStream& stream) {
  const double exponent = exponent_of(attack, budget_of(attack));
  if (attack.mutant == OrbitMutant::None) {
    const OrbitPlan plan = *OrbitPlan::make(attack.request, Vector::Ones(1));
    const OrbitDraw draw = plan.run(gram, stream)->value();
    return direction_ratio(exponent, attack.rows, draw.matrix(0, 0).real());
  }
  const HermitianMoment moment(gram, attack.request.scales, RowField::Real);
  const OrbitDraw draw = draw_on_orbit(moment, Vector::Ones(1), exponent, stream);
  return direction_ratio(exponent, attack.rows, draw.matrix(0, 0).real());
}

double laplace_ratio(double released, double first, double second, double scale) {
  return (std::abs(released - second) - std::abs(released - first)) / scale;
}

double total(const AxisRows& rows) {
  return rows[0] + rows[1];
}
/// Eigenvalues of diag(rows), largest first.
std::array<double, 2> eigenvalues(const AxisRows& rows) {
  return {static_cast<double>(std::max(rows[0], rows[1])),
          static_cast<double>(std::min(rows[0], rows[1]))};
}

/// Algorithm 2 with k = d = 2: log likelihood ratios of eigenvalues (as if sorting had changed
/// nothing), count and direction.
double low_rank_statistic(const Attack& attack, const ExactGram& gram, RandomStream& stream) {
  const LowRankPlan plan = *LowRankPlan::make(attack.request, 2, kEigenvalueShare);
  const bool mutant = attack.mutant == OrbitMutant::EigenvaluesNotCounted;
  const PureDp directions = mutant ? budget_of(attack) : plan.direction_budget();
  LowRankDraw draw;
  if (mutant) {
    const HermitianMoment moment(gram, attack.request.scales, RowField::Real);
    draw.eigenvalues = release_eigenvalues(gram, moment, plan.shape(), plan.noise_scale(), stream);
    const double exponent = *orbit_exponent(directions, attack.request.relation,
                                            draw.eigenvalues.values, 2, attack.request.calibration);
    draw.orbit = draw_on_orbit(moment, draw.eigenvalues.values, exponent, stream);
  } else {
    draw = plan.run(gram, stream)->value();
  }
  const double scale = plan.noise_scale() / kEigenvalueSteps;
  const Vector& l = draw.eigenvalues.values;
  const auto first = eigenvalues(attack.rows.first);
  const auto second = eigenvalues(attack.rows.second);
  double ratio = laplace_ratio(l[0], first[0], second[0], scale) +
                 laplace_ratio(l[1], first[1], second[1], scale);
  if (plan.shape().releases_count()) {
    const double weight = kCountWeight / kEigenvalueSteps;
    ratio += laplace_ratio(weight * draw.eigenvalues.count, weight * total(attack.rows.first),
                           weight * total(attack.rows.second), scale);
  }
  if (l[0] > l[1]) {  // H = l_2 I + (l_1 - l_2) u u*
    ratio += direction_ratio(exponent_of(attack, directions), attack.rows,
                             (draw.orbit.matrix(0, 0).real() - l[1]) / (l[0] - l[1]));
  }
  return ratio;
}

}  // namespace

std::string_view name_of(OrbitMutant mutant) {
  switch (mutant) {
    case OrbitMutant::None:
      return "as shipped";
    case OrbitMutant::ExponentDoubled:
      return "mutant: exponent doubled";
    case OrbitMutant::AddRemoveExponent:
      return "mutant: replace-one at the add-remove exponent";
    case OrbitMutant::EigenvaluesNotCounted:
      return "mutant: eigenvalue budget not counted";
  }
  return "unknown";
}

std::string_view name_of(OrbitPair pair) {
  switch (pair) {
    case OrbitPair::Worst:
      return "a row against others";
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
  switch (request.pair) {
    case OrbitPair::Worst:
      return request.relation == Relation::ReplaceOne
                 ? std::vector{OrbitMutant::ExponentDoubled, OrbitMutant::AddRemoveExponent}
                 : std::vector{OrbitMutant::ExponentDoubled};
    case OrbitPair::LowRank:
      return {OrbitMutant::EigenvaluesNotCounted};
    default:
      return {};
  }
}

double largest_direction_loss(const OrbitAudit& request) {
  const double c = *orbit_exponent(PureDp{request.epsilon}, request.relation, Vector::Ones(1), 2,
                                   OrbitCalibration::Tight);
  const AxisPair rows = rows_of(request);
  return std::max(std::abs(direction_ratio(c, rows, 0.0)), std::abs(direction_ratio(c, rows, 1.0)));
}

Result<AuditCase> orbit_case(const OrbitAudit& request, OrbitMutant mutant) {
  if (!applies(request)) {
    return bad_request("this pair is not one of neighbours for the relation asked for");
  }
  const RowBound bound = *RowBound::row_norm(2, 1.0);
  const OrbitRequest orbit{bound, Vector::Ones(2), PureDp{request.epsilon}, request.relation};
  if (const Result<OrbitPlan> plan = OrbitPlan::make(orbit, Vector::Ones(1)); !plan) {
    return error_of(plan);
  }
  const AxisPair rows = rows_of(request);
  // zero-row: the row is there on both sides
  const std::size_t zero_rows =
      request.relation == Relation::ZeroRow
          ? static_cast<std::size_t>(total(rows.first) - total(rows.second))
          : 0;
  Result<ExactGram> first = gram_of(rows.first, bound, 0);
  Result<ExactGram> second = gram_of(rows.second, bound, zero_rows);
  if (!first || !second) {
    return bad_request("the audited pair could not be built");
  }
  const auto attack = std::make_shared<const Attack>(
      Attack{rows, *std::move(first), *std::move(second), orbit, mutant});
  const auto statistic =
      request.pair == OrbitPair::LowRank ? &low_rank_statistic : &directions_statistic;
  return AuditCase{std::string(name_of(request.pair)) + ", " + std::string(name_of(mutant)),
                   PureDp{request.epsilon},
                   [attack, statistic](RandomStream& stream) {
                     return statistic(*attack, attack->first, stream);
                   },
                   [attack, statistic](RandomStream& stream) {
                     return statistic(*attack, attack->second, stream);
                   }};
}

}  // namespace eigenveil
