#include "mechanism/subspace/exact_subspace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/outward.hpp"
#include "mechanism/moment/moment_plan.hpp"
#include "mechanism/subspace/exact_answers.hpp"
#include "mechanism/subspace/stability_histogram.hpp"

namespace eigenveil {
namespace {

/// A flat above the floor is missed with probability at most 2^-100.
constexpr double kMissedLog = 100.0 * 0.6931471805599454;
/// Products one run may cost: tens of seconds.
constexpr double kLargestCost = 6e9;
constexpr std::size_t kSmallSubspace = 3;  ///< up to here gapmax is the default
/// Share of delta for what could go wrong in the search and in the compression.
constexpr double kSearchShare = 0x1p-20;

double hyperplane_cost(const ExactSubspaceRequest& request) {
  double cost = 8.0;
  for (std::size_t i = 1; i < request.subspace; ++i) {
    cost *= static_cast<double>(request.rows) / static_cast<double>(i);
  }
  return cost * static_cast<double>(request.subspace);
}

Result<void> check_shape(const ExactSubspaceRequest& request) {
  if (request.subspace < 1 || request.subspace > request.dimension) {
    return bad_request(fmt::format(
        "{{components}} must satisfy 1 <= k <= {}, the number of coordinates", request.dimension));
  }
  if (!(request.budget.epsilon > 0.0) || !(request.budget.delta > 0.0) ||
      request.budget.delta > 0.5) {
    return bad_request("subspace needs epsilon > 0 and 0 < delta <= 1/2");
  }
  if (request.max_abs < 1 || request.max_abs > (std::int64_t{1} << 50)) {
    return bad_request("{max_abs} must be a whole number from 1 to 2^50");
  }
  return {};
}

}  // namespace

void ExactPoints::add(const std::vector<std::int64_t>& point) {
  ++rows_;
  const bool usable = point.size() == dimension_ &&
                      std::all_of(point.begin(), point.end(), [&](std::int64_t value) {
                        return value >= -max_abs_ && value <= max_abs_;
                      });
  if (usable) {
    values_.insert(values_.end(), point.begin(), point.end());
  } else {
    values_.resize(values_.size() + dimension_, 0);
  }
}

std::int64_t ExactSubspacePlan::sufficient_exceptions() const {
  return by_votes()
             ? 0
             : request_.exceptions.value_or(static_cast<std::int64_t>(request_.subspace) - 1);
}

double ExactSubspacePlan::lower_bound() const {
  return static_cast<double>(sufficient_exceptions()) + static_cast<double>(request_.subspace) +
         std::log(1.0 / request_.budget.delta) / request_.budget.epsilon;
}

Result<ExactSubspacePlan> ExactSubspacePlan::make(const ExactSubspaceRequest& request) {
  if (const Result<void> shape = check_shape(request); !shape) {
    return error_of(shape);
  }
  ExactSubspacePlan plan;
  plan.request_ = request;
  if (request.aggregate == ExactAggregate::Auto) {
    const bool small = request.subspace <= kSmallSubspace && hyperplane_cost(request) < 1e9;
    plan.request_.aggregate = small ? ExactAggregate::GapMax : ExactAggregate::Votes;
  }
  const Result<void> planned = plan.by_votes() ? plan.plan_votes() : plan.plan_gap_max();
  if (!planned) {
    return error_of(planned);
  }
  if (const Result<void> field = plan.choose_field(); !field) {
    return error_of(field);
  }
  plan.guarantee_ = stated(request.budget, request.aggregate, request.published);
  return plan;
}

Guarantee ExactSubspacePlan::stated(const ApproxDp& budget, ExactAggregate aggregate,
                                    bool published) {
  Guarantee guarantee{Relation::ReplaceOne,
                      budget,
                      published ? Basis::NotPrivate : Basis::Proved,
                      {"random bits: ChaCha20 keyed by the operating system cannot be told from "
                       "true randomness"},
                      true};
  if (aggregate != ExactAggregate::GapMax) {
    guarantee.assumptions.emplace_back("SHA-256: no two subspaces are found that share a key");
  }
  return guarantee;
}

Result<void> ExactSubspacePlan::plan_votes() {
  if (request_.published) {
    return bad_request(
        "{calibration published} is Singhal and Steinke's gapmax rule; leave out {aggregate "
        "votes}");
  }
  noise_budget_ = request_.budget;
  const Result<StabilityHistogram> histogram = StabilityHistogram::make(noise_budget_);
  if (!histogram) {
    return error_of(histogram);
  }
  noise_bound_ = histogram->noise_bound();
  const auto k = static_cast<std::int64_t>(request_.subspace);
  // t - A > max(A, t/2) for all groups t agreeing: t >= 2A + 1.
  sufficient_rows_ = k * (2 * noise_bound_ + 1);
  const auto groups = static_cast<std::int64_t>(this->groups());
  if (groups < 2 * noise_bound_ + 1) {
    return bad_request(fmt::format(
        "{} rows are too few for votes: with this budget and k = {} at least {} are needed "
        "({{aggregate gapmax}} needs fewer)",
        request_.rows, request_.subspace, sufficient_rows_));
  }
  exceptions_ = groups - histogram->sure_votes(static_cast<std::size_t>(groups));
  return {};
}

Result<void> ExactSubspacePlan::plan_gap_max() {
  const double budget_delta = request_.budget.delta;
  noise_budget_ = {request_.budget.epsilon, down(budget_delta * (1.0 - kSearchShare), 2)};
  const Result<TruncatedLaplace> noise =
      TruncatedLaplace::make(2, noise_budget_.epsilon, noise_budget_.delta);
  if (!noise) {
    return error_of(noise);
  }
  noise_bound_ = noise->bound();
  const auto n = static_cast<std::int64_t>(request_.rows);
  const auto k = static_cast<std::int64_t>(request_.subspace);
  const std::int64_t largest = (n - 2 - 2 * noise_bound_) / 3;  // n > 3 l + 1 + 2 A
  exceptions_ = request_.exceptions.value_or(std::max(k - 1, largest));
  sufficient_rows_ = 3 * sufficient_exceptions() + 2 + 2 * noise_bound_;
  if (request_.published) {
    return {};
  }
  if (n < sufficient_rows_) {
    return bad_request(fmt::format(
        "{} rows are too few: with this budget, k = {} and {} exceptions at least {} are needed", n,
        k, exceptions_, sufficient_rows_));
  }
  floor_ = std::max(exceptions_, n - 2 * exceptions_ - 2 - 2 * noise_bound_);
  const double ratio = static_cast<double>(n) / static_cast<double>(floor_ + 1);
  const double share = std::pow(ratio, static_cast<double>(k));
  const double trials = share * (static_cast<double>(k) * std::log(ratio) + kMissedLog) * 1.001;
  const double cost = trials * static_cast<double>(n) * static_cast<double>(k + 1);
  if (cost + hyperplane_cost(request_) > kLargestCost) {
    return bad_request(fmt::format(
        "gapmax would take too long for {} rows and k = {}; take {{aggregate votes}}", n, k));
  }
  trials_ = static_cast<std::uint64_t>(trials) + 1;
  return {};
}

Result<void> ExactSubspacePlan::choose_field() {
  const auto k = static_cast<double>(request_.subspace);
  const auto bound = static_cast<double>(request_.max_abs);
  // Hadamard: a j x j minor is at most (sqrt(j) V)^j.
  const double reconstruction = 2.0 + 2.0 * k * std::log2(std::sqrt(k) * bound);
  const double membership = 1.0 + (k + 1.0) * std::log2(std::sqrt(k + 1.0) * bound);
  const double needed = std::max(reconstruction, membership) + 0.5;
  const bool compressed = !by_votes() && request_.dimension > request_.subspace + 1;
  const double lost = 1.0 + (k + 1.0) * std::log2(static_cast<double>(request_.rows) + 2.0) + 0.5;
  for (const int bits : {61, 127, 521}) {
    const double failure = compressed ? std::exp2(lost - bits) : 0.0;
    const double missed =
        by_votes() ? 0.0 : (1.0 + std::exp(request_.budget.epsilon)) * std::exp2(-100.0);
    if (needed < bits &&
        (by_votes() || failure + missed < 0.99 * kSearchShare * request_.budget.delta)) {
      field_bits_ = bits;
      return {};
    }
  }
  return bad_request(
      "exact arithmetic of these sizes is out of range: give a smaller {max_abs}, a smaller "
      "{components} or "
      "a larger delta");
}

Release<ExactSubspace> ExactSubspacePlan::run(const ExactPoints& points,
                                              RandomStream& stream) const {
  const detail::ExactRun run{request_, exceptions_, floor_, trials_, noise_budget_, by_votes()};
  ExactSubspace answer = field_bits_ == 61    ? detail::answer_61(run, points, stream)
                         : field_bits_ == 127 ? detail::answer_127(run, points, stream)
                                              : detail::answer_521(run, points, stream);
  Guarantee guarantee = as_run(guarantee_, stream);
  return trusted::assume_released(std::move(answer), std::move(guarantee),
                                  "subspace " + aggregate_name());
}

}  // namespace eigenveil
