#pragma once

#include <array>
#include <vector>

#include "audit/orbit_cases.hpp"
#include "mechanism/orbit/low_rank.hpp"

namespace eigenveil::detail {

/// Most of the budget on eigenvalues: what is spent twice then shows best.
inline constexpr double kAuditedEigenvalueShare = 0.98;

/// Rows along the first two axes: M = diag(first, second, 0, ...).
using AxisRows = std::array<int, 2>;

/// One pair of neighbouring tables.
struct AxisPair {
  Eigen::Index dimension = 2;
  AxisRows first;
  AxisRows second;
};

/// P(s > t) for the density exp(rate s) (1 - s)^(d-2) on [0, 1].
double upper_tail(double rate, Eigen::Index dimension, double t);

/// Algorithm 2 as it is attacked: both eigenvalues where both move (replace-one), else the first.
/// A mutant is the shipped plan at a budget that is not claimed.
Result<LowRankPlan> audited_low_rank_plan(const OrbitAudit& request, const OrbitVersion& version);

/// What an attack may choose from.
std::vector<AxisPair> candidate_pairs(const OrbitAudit& request);

/// For dimensions that `candidate_pairs` names.
AttackedTables axis_tables(const OrbitAudit& request, Eigen::Index dimension);
/// At `factor` times the epsilon of the request.
OrbitRequest orbit_request(const OrbitAudit& request, Eigen::Index dimension, double factor);

/// Whether eigenvalues are released with noise.
bool is_low_rank(OrbitPair pair);

/// What is known about the released direction (and, for LowRank, about eigenvalues and count) on
/// both tables. An event is "the eigenvalues and the count look like the first table's, and s > t".
class PairLaw {
 public:
  PairLaw(const OrbitAudit& request, const OrbitVersion& version, const AxisPair& pair);

  /// Announce the first table when s > t, or (swapped, not LowRank) the second when s < t.
  ExactTest test(const AuditRule& rule) const;
  bool can_swap() const { return !low_rank_; }
  /// The supremum of log(power / false alarm) over thresholds.
  double most() const;

 private:
  double first_rate_;
  double second_rate_;
  Eigen::Index dimension_;
  bool low_rank_;
  double first_side_ = 1.0;  ///< probability of the eigenvalues and the count, on either table
  double second_side_ = 1.0;
};

/// Whether released eigenvalues and count look like the first table's: the event of PairLaw.
bool looks_like_first(const OrbitAudit& request, const AxisPair& pair,
                      const NoisyEigenvalues& released);

}  // namespace eigenveil::detail
