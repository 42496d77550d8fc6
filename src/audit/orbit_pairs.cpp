#include "audit/orbit_pairs.hpp"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

namespace eigenveil::detail {
namespace {

constexpr int kMostHidingRows = 12;
constexpr int kMostApart = 12;  ///< rows that keep the two noisy eigenvalues in order
constexpr Eigen::Index kMostDimensions = 6;

/// P(s > t) for the density exp(rate s) (1 - s)^(d-2) on [0, 1].
double upper_tail(double rate, Eigen::Index dimension, double t) {
  const auto shape = static_cast<double>(dimension - 1);
  if (rate == 0.0) {
    return std::pow(1.0 - t, shape);
  }
  // u = 1 - s has density exp(-rate u) u^(d-2); d = 2 is elementary for both signs of the rate.
  return dimension == 2
             ? std::expm1(-rate * (1.0 - t)) / std::expm1(-rate)
             : boost::math::gamma_p(shape, rate * (1.0 - t)) / boost::math::gamma_p(shape, rate);
}

double lower_tail(double rate, Eigen::Index dimension, double t) {
  if (dimension == 2 && rate != 0.0) {
    return std::expm1(rate * t) / std::expm1(rate);
  }
  return 1.0 - upper_tail(rate, dimension, t);
}

/// P(X >= x) for X Laplace about `mean`.
double laplace_tail(double x, double mean, double scale) {
  const double z = (x - mean) / scale;
  return z > 0.0 ? 0.5 * std::exp(-z) : 1.0 - 0.5 * std::exp(z);
}

std::array<double, 2> eigenvalues(const AxisRows& rows) {
  return {static_cast<double>(std::max(rows[0], rows[1])),
          static_cast<double>(std::min(rows[0], rows[1]))};
}

/// Two noisy eigenvalues about g, in any order: one at least `high`, the other at most `low`.
double apart(const std::array<double, 2>& g, double high, double low, double scale) {
  const auto above = [&](std::size_t i) { return laplace_tail(high, g[i], scale); };
  const auto below = [&](std::size_t i) { return 1.0 - laplace_tail(low, g[i], scale); };
  return above(0) * below(1) + above(1) * below(0);
}

/// Of the event of looks_like_first, for the table `rows`.
double side_probability(const OrbitAudit& request, const LowRankPlan& plan, const AxisPair& pair,
                        const AxisRows& rows) {
  const double scale = plan.noise_scale() / kEigenvalueSteps;
  const double high = pair.first[0];
  if (request.relation == Relation::ReplaceOne) {
    return apart(eigenvalues(rows), high, 0.0, scale);
  }
  const double seen = laplace_tail(high, rows[0], scale);
  return plan.shape().releases_count()
             ? seen * laplace_tail(high, rows[0], plan.noise_scale() / kCountWeight)
             : seen;
}

}  // namespace

std::vector<AxisPair> candidate_pairs(const OrbitAudit& request) {
  const bool replaces = request.relation == Relation::ReplaceOne;
  std::vector<AxisPair> pairs;
  switch (request.pair) {
    case OrbitPair::EqualSpectra:
      return {{2, {2, 1}, {1, 2}}};
    case OrbitPair::LowRank:
      if (!replaces) {
        return {{2, {1, 0}, {0, 0}}};
      }
      for (int others = 0; others <= kMostApart; ++others) {
        pairs.push_back({2, {others + 2, 0}, {others + 1, 1}});
      }
      return pairs;
    case OrbitPair::Empty:
      for (Eigen::Index d = 2; d <= kMostDimensions; ++d) {
        pairs.push_back({d, {1, 0}, {0, 0}});
      }
      return pairs;
    default:
      for (int hiding = 1; hiding <= kMostHidingRows; ++hiding) {
        pairs.push_back({2, {1, hiding}, {0, replaces ? hiding + 1 : hiding}});
      }
      return pairs;
  }
}

Result<LowRankPlan> audited_low_rank_plan(const OrbitAudit& request, OrbitMutant mutant) {
  const Eigen::Index rank = request.relation == Relation::ReplaceOne ? 2 : 1;
  OrbitRequest planned = orbit_request(request, 2);
  double share = kAuditedEigenvalueShare;
  if (mutant == OrbitMutant::EigenvaluesNotCounted) {
    // The same for the eigenvalues, and everything for the directions once more.
    planned.budget = PureDp{(1.0 + share) * request.epsilon};
    share /= 1.0 + share;
  }
  return LowRankPlan::make(planned, rank, share);
}

OrbitRequest orbit_request(const OrbitAudit& request, Eigen::Index dimension) {
  return {*RowBound::row_norm(static_cast<std::size_t>(dimension), 1.0), Vector::Ones(dimension),
          PureDp{request.epsilon}, request.relation};
}

double direction_exponent(const OrbitAudit& request, OrbitMutant mutant, PureDp directions) {
  const Relation relation =
      mutant == OrbitMutant::AddRemoveExponent ? Relation::AddRemove : request.relation;
  const PureDp draw{orbit_draw_budget(directions, 2, 1).draw};
  const double exponent =
      *orbit_exponent(draw, relation, Vector::Ones(1), 2, OrbitCalibration::Tight);
  return mutant == OrbitMutant::ExponentDoubled ? 2.0 * exponent : exponent;
}

PureDp direction_budget(const OrbitAudit& request, OrbitMutant mutant) {
  return request.pair != OrbitPair::LowRank
             ? PureDp{request.epsilon}
             : audited_low_rank_plan(request, mutant)->direction_budget();
}

PairLaw::PairLaw(const OrbitAudit& request, OrbitMutant mutant, const AxisPair& pair)
    : dimension_(pair.dimension), low_rank_(request.pair == OrbitPair::LowRank) {
  const double c = direction_exponent(request, mutant, direction_budget(request, mutant));
  first_rate_ = c * (pair.first[0] - pair.first[1]);
  second_rate_ = c * (pair.second[0] - pair.second[1]);
  if (low_rank_) {
    const LowRankPlan plan = *audited_low_rank_plan(request, mutant);
    first_side_ = side_probability(request, plan, pair, pair.first);
    second_side_ = side_probability(request, plan, pair, pair.second);
  }
}

ExactTest PairLaw::test(const AuditRule& rule) const {
  if (rule.swapped) {
    return {lower_tail(second_rate_, dimension_, rule.threshold),
            lower_tail(first_rate_, dimension_, rule.threshold)};
  }
  return {first_side_ * upper_tail(first_rate_, dimension_, rule.threshold),
          second_side_ * upper_tail(second_rate_, dimension_, rule.threshold)};
}

double PairLaw::most() const {
  // The ratio of the densities is monotone in s, so it is largest at one of the ends.
  constexpr double kEnd = 0x1p-30;
  const auto ratio = [&](const AuditRule& rule) {
    const ExactTest end = test(rule);
    return std::log(end.power / end.false_alarm);
  };
  const double upper = ratio({1.0 - kEnd, 1.0, false});
  return (can_swap() ? std::max(upper, ratio({kEnd, -1.0, true})) : upper) + kEnd * 64.0;
}

bool looks_like_first(const OrbitAudit& request, const AxisPair& pair,
                      const NoisyEigenvalues& released) {
  const double high = pair.first[0];
  if (request.relation == Relation::ReplaceOne) {
    return released.values[0] >= high && released.values[1] <= 0.0;
  }
  const bool counted = row_count_is_public(request.relation) || released.count >= high;
  return released.values[0] >= high && counted;
}

}  // namespace eigenveil::detail
