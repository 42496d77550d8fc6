#include "audit/orbit_pairs.hpp"

#include <algorithm>
#include <cmath>

#include "core/distributions.hpp"

namespace eigenveil::detail {

double upper_tail(double rate, Eigen::Index dimension, double t) {
  if (t <= 0.0) {
    return 1.0;
  }
  const auto shape = static_cast<double>(dimension - 1);
  if (rate == 0.0) {
    return std::pow(1.0 - t, shape);
  }
  // u = 1 - s has density exp(-rate u) u^(d-2); d = 2 is elementary for both signs of the rate.
  return dimension == 2 ? std::expm1(-rate * (1.0 - t)) / std::expm1(-rate)
                        : gamma_lower(shape, rate * (1.0 - t)) / gamma_lower(shape, rate);
}

namespace {

constexpr int kMostHidingRows = 12;
constexpr int kMostApart = 12;  ///< rows that keep the two noisy eigenvalues in order
constexpr Eigen::Index kMostDimensions = 6;

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
  const double scale = plan.noise_scale().diagonal / kEigenvalueSteps;
  const double high = pair.first[0];
  if (request.setting.relation == Relation::ReplaceOne) {
    return apart(eigenvalues(rows), high, 0.0, scale);
  }
  const double seen = laplace_tail(high, rows[0], scale);
  return plan.shape().releases_count()
             ? seen * laplace_tail(high, rows[0], plan.noise_scale().diagonal / kCountWeight)
             : seen;
}

}  // namespace

bool is_low_rank(OrbitPair pair) {
  return pair == OrbitPair::LowRank || pair == OrbitPair::Eigenvalues;
}

std::vector<AxisPair> candidate_pairs(const OrbitAudit& request) {
  const bool replaces = request.setting.relation == Relation::ReplaceOne;
  const int group = request.setting.group_size;
  const bool ranges = request.setting.bound == AttackedBound::Ranges;
  std::vector<AxisPair> pairs;
  switch (request.pair) {
    case OrbitPair::EqualSpectra:
      return {{2, {1 + group, 1}, {1, 1 + group}}};
    case OrbitPair::LowRank:
    case OrbitPair::Eigenvalues:
      if (!replaces) {
        return {{2, {group, 0}, {0, 0}}};
      }
      for (int others = 0; others <= kMostApart; ++others) {
        pairs.push_back({2, {others + 1 + group, 0}, {others + 1, group}});
      }
      return pairs;
    case OrbitPair::Empty:
      for (Eigen::Index d = 2; d <= kMostDimensions; ++d) {
        if (!ranges || d == 2 || d == 4) {  // where corners are orthogonal
          pairs.push_back({d, {group, 0}, {0, 0}});
        }
      }
      return pairs;
    default:
      for (int hiding = 1; hiding <= kMostHidingRows; ++hiding) {
        pairs.push_back({2, {group, hiding}, {0, replaces ? hiding + group : hiding}});
      }
      return pairs;
  }
}

Result<LowRankPlan> audited_low_rank_plan(const OrbitAudit& request, const OrbitVersion& version) {
  const Eigen::Index rank = request.setting.relation == Relation::ReplaceOne ? 2 : 1;
  const double eigenvalues = version.eigenvalues * kAuditedEigenvalueShare;
  const double total = eigenvalues + version.directions * (1.0 - kAuditedEigenvalueShare);
  return LowRankPlan::make(orbit_request(request, 2, total), rank, eigenvalues / total);
}

AttackedTables axis_tables(const OrbitAudit& request, Eigen::Index dimension) {
  return AttackedTables::make(request.setting, static_cast<std::size_t>(dimension)).value();
}

OrbitRequest orbit_request(const OrbitAudit& request, Eigen::Index dimension, double factor) {
  const AttackedTables tables = axis_tables(request, dimension);
  OrbitRequest made{tables.bound(), tables.scales(), PureDp{factor * request.epsilon},
                    request.setting.relation};
  made.group_size = request.setting.group_size;
  return made;
}

PairLaw::PairLaw(const OrbitAudit& request, const OrbitVersion& version, const AxisPair& pair)
    : dimension_(pair.dimension), low_rank_(is_low_rank(request.pair)) {
  // c of exp(c tr(M H)) for eigenvalues 1, 0, ... and rows of norm 1.
  const double claimed =
      low_rank_ ? (1.0 - kAuditedEigenvalueShare) * request.epsilon : request.epsilon;
  const bool replaces = request.setting.relation == Relation::ReplaceOne;
  const PureDp per_row{version.directions * claimed / request.setting.group_size};
  // What solver and blur leave to the draw.
  const double draw = orbit_draw_budget(per_row, dimension_, low_rank_ && replaces ? 2 : 1).draw;
  const double c = replaces ? draw / 2.0 : draw;
  first_rate_ = c * (pair.first[0] - pair.first[1]);
  second_rate_ = c * (pair.second[0] - pair.second[1]);
  if (low_rank_) {
    const LowRankPlan plan = *audited_low_rank_plan(request, version);
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
  if (request.setting.relation == Relation::ReplaceOne) {
    return released.values[0] >= high && released.values[1] <= 0.0;
  }
  const bool counted = row_count_is_public(request.setting.relation) || released.count >= high;
  return released.values[0] >= high && counted;
}

}  // namespace eigenveil::detail
