#include "mechanism/spiked/gap_projector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/distributions.hpp"
#include "core/outward.hpp"
#include "core/symmetric_eigen.hpp"
#include "eigenveil/statistics/trusted_totals.hpp"
#include "mechanism/moment/moment_plan.hpp"
#include "mechanism/moment/principal_components.hpp"
#include "mechanism/moment/sample_covariance.hpp"
#include "mechanism/spiked/noisy_projector.hpp"
#include "privacy/pair_per_row.hpp"

namespace eigenveil {
namespace {

constexpr int kUlps = 16;
constexpr double kGapShare = 0.15;      ///< of mu², for the gap
constexpr double kFailureShare = 0.05;  ///< of delta, for a gap below its lower bound
/// R² / gap at or above this is NULL: the lemmas need 1/2, beyond this noise rules anyway.
constexpr double kLargestRatio = 0.25;
/// Rows a table may have for the stated error of the eigensolver.
constexpr double kMostRows = 0x1p30;
constexpr double kSolverFactor = 16.0;
/// t² = R²/4 for the row count beside the r x r matrix, as in method gauss.
constexpr double kCountShare = 0.25;

/// The p x p matrix and its eigenpairs: about 32 p² bytes and 4 p³ / 3 operations, 3 GB and some
/// minutes here.
constexpr std::size_t kMostColumns = 10'000;

/// Lemma 2: sqrt(2) min(q, q / (2 (1 - q))) for one row that comes or goes, q = R²/gap < 1.
double one_row_change(double ratio) {
  const double refined = up(ratio / down(2.0 * down(1.0 - ratio)), 2);
  return up(std::sqrt(2.0) * std::min(ratio, refined), 4);
}

bool one_sided(Relation relation) {
  return relation == Relation::AddRemove || relation == Relation::ZeroRow;
}

std::vector<std::string> assumptions(const std::optional<DrawBudget>& wide) {
  std::vector<std::string> list = {
      "idealised real arithmetic: eigenpairs are computed in double precision; 16 p 2^-53 2^30 R^2 "
      "is added to every sensitivity for the solver's error, which was checked and not proved",
      "the table has at most 2^30 rows"};
  for (std::string& entry : wide ? draw_assumptions(wide->blur) : std::vector<std::string>()) {
    list.push_back(std::move(entry));
  }
  for (std::string& entry : noise_assumptions(NoiseLaw::Gaussian)) {
    list.push_back(std::move(entry));
  }
  return list;
}

Result<void> check_relation(Relation relation) {
  if (one_sided(relation) || relation == Relation::ReplaceOne) {
    return {};
  }
  return bad_request("spiked-robust is proved for add-remove, replace-one and zero-row");
}

/// Not through one mu: part of delta is for the gap.
Result<ApproxDp> row_pair(const Budget& budget, int size) {
  if (const Result<Budget> checked = check_budget(budget); !checked) {
    return error_of(checked);
  }
  const auto* approx = std::get_if<ApproxDp>(&budget);
  if (approx == nullptr) {
    return bad_request(
        "spiked-robust spends some delta on its gap: give {epsilon} together with {delta}");
  }
  return pair_per_row(*approx, size);
}

}  // namespace

double row_radius(const RowBound& bound, Units units) {
  if (units == Units::Scaled) {
    return bound.radius();
  }
  const Vector scales = column_scales(bound, units);
  const double stretched = up(scales.maxCoeff() * bound.radius());
  // With ranges every cell stays within its half width.
  return bound.has_ranges() ? std::min(stretched, up(scales.norm(), kUlps)) : stretched;
}

double gap_change(double radius, Relation relation) {
  const double square = up(radius * radius);
  return one_sided(relation) ? square : 2.0 * square;
}

double projector_change(double radius, double gap, Relation relation) {
  const double ratio = up(up(radius * radius) / gap);
  if (!(gap > 0.0) || !(ratio < kLargestRatio)) {
    return std::numeric_limits<double>::infinity();
  }
  const double first = one_row_change(ratio);
  if (one_sided(relation)) {
    return first;
  }
  // The row leaves (gap at least gap - R² afterwards), another one comes.
  return up(first + one_row_change(up(ratio / down(1.0 - ratio))));
}

double GapPlan::solver_error() const {
  return kSolverFactor * static_cast<double>(request_.bound.dimension()) * 0x1p-53 * kMostRows *
         radius_ * radius_;
}

Result<GapPlan> GapPlan::make(const GapRequest& request) {
  if (const Result<void> fits = check_relation(request.relation); !fits) {
    return error_of(fits);
  }
  const Result<ApproxDp> approx = row_pair(request.budget, request.group_size);
  if (!approx) {
    return error_of(approx);
  }
  if (request.components >= static_cast<Eigen::Index>(request.bound.dimension())) {
    return bad_request(
        "spiked-robust needs {components} below the number of columns: there must be a gap");
  }
  if (const std::size_t p = request.bound.dimension(); p > kMostColumns) {
    const auto columns = static_cast<double>(p);
    return bad_request(fmt::format(
        "spiked-robust would take too long: {} columns need the eigenpairs of a matrix of {:.0f} "
        "GB, and the work grows with their cube; the limit is {} columns (method spiked and "
        "{{within_subspace}} make no such matrix)",
        p, std::ceil(32e-9 * columns * columns), kMostColumns));
  }
  if (const Result<void> checked = check_wide_subspace(
          static_cast<Eigen::Index>(request.bound.dimension()), request.components);
      !checked) {
    return error_of(checked);
  }
  GapPlan plan(request);
  plan.failure_ = down(approx->delta * kFailureShare);
  const Result<GaussianDp> total =
      gaussian_budget(ApproxDp{approx->epsilon, down(approx->delta - plan.failure_)});
  if (!total) {
    return error_of(total);
  }
  const double rest = 1.0 - kGapShare;
  plan.mu_gap_ = down(total->mu * std::sqrt(kGapShare), 4);
  plan.mu_projector_ = down(total->mu * std::sqrt(rest * (1.0 - request.variance_share)), 4);
  plan.mu_inside_ = down(total->mu * std::sqrt(rest * request.variance_share), 4);
  if (const auto p = static_cast<Eigen::Index>(request.bound.dimension()); p > kDenseProjector) {
    plan.wide_ = split_draw_mu(plan.mu_projector_, {p, request.components, {}});
    plan.mu_projector_ = plan.wide_->draw;
  }
  plan.quantile_ = up(normal_upper_quantile(plan.failure_), kUlps) + 1e-6;
  plan.radius_ = row_radius(request.bound, request.units);
  const double slack = 2.0 * plan.solver_error();
  const double square = up(plan.radius_ * plan.radius_);
  const double inside = up(
      (one_sided(request.relation) ? std::sqrt(1.0 + 1.0 / 16.0) : std::sqrt(2.0)) * square, kUlps);
  const Eigen::Index side = request.components + 1;
  const Result<double> gap_sd = symmetric_noise_sd(
      up(gap_change(plan.radius_, request.relation) + slack), plan.mu_gap_, side);
  const Result<double> inside_sd = symmetric_noise_sd(up(inside + slack), plan.mu_inside_, side);
  const Result<double> projector = symmetric_noise_sd(
      1.0, plan.mu_projector_,
      std::min<Eigen::Index>(static_cast<Eigen::Index>(request.bound.dimension()),
                             kDenseProjector));
  if (!gap_sd || !inside_sd || !projector) {
    return bad_request("the budget leaves the range of exact arithmetic; spend more");
  }
  plan.gap_sd_ = *gap_sd;
  plan.inside_sd_ = *inside_sd;
  plan.guarantee_ = {request.relation,
                     std::get<ApproxDp>(request.budget),
                     Basis::ProvedRealArithmetic,
                     assumptions(plan.wide_),
                     true,
                     request.group_size};
  return plan;
}

std::optional<double> GapPlan::projector_sd(double gap_lower) const {
  const double gap = gap_lower - 2.0 * solver_error();  // of the exact A
  const auto k = static_cast<double>(request_.components);
  const auto p = static_cast<Eigen::Index>(request_.bound.dimension());
  const double change = projector_change(radius_, gap, request_.relation);
  if (!std::isfinite(change)) {
    return std::nullopt;
  }
  // Davis and Kahan once more, for the solver; a neighbour's gap is at least gap/2.
  const double solver = 2.0 * std::sqrt(2.0 * k) * 4.0 * solver_error() / gap;
  const Result<double> sd =
      symmetric_noise_sd(up(change + solver, kUlps), mu_projector_, p <= kDenseProjector ? p : 1);
  if (!sd || *sd * std::sqrt(0.5 * static_cast<double>(p)) >= kDrowned) {
    return std::nullopt;
  }
  return *sd;
}

Release<GapResult> GapPlan::run(const ExactGram& gram, RandomStream& stream) const {
  const Eigen::Index k = request_.components;
  const auto rows = static_cast<double>(trusted::totals(gram).count);
  const double n = std::max(1.0, rows);
  const SampleCovariance sample = SampleCovariance::of(gram, request_.units);
  const SymmetricEigen top = sample.top(k + 1);
  const Vector gap = Vector::Constant(1, n * (top.values[k - 1] - top.values[k]));
  GapResult result;
  result.gap_lower =
      add_vector_noise(gap, symmetric_noise(gap_sd_), stream)[0] - quantile_ * gap_sd_;

  // The count is released in either case: t² n beside the matrix inside.
  const SymmetricNoise inside_noise = symmetric_noise(inside_sd_);
  result.count = rows;
  if (request_.relation == Relation::AddRemove) {
    const double t2 = kCountShare * radius_ * radius_;
    result.count = add_vector_noise(Vector::Constant(1, t2 * rows), inside_noise, stream)[0] / t2;
    result.count_sd = inside_sd_ / t2;
  }
  if (const std::optional<double> sd = projector_sd(result.gap_lower)) {
    result.projector_sd = *sd;
    const Matrix frame = top.vectors.leftCols(k);
    result.frame = wide_ ? noisy_subspace_wide(frame, *sd, wide_->blur, stream)
                         : noisy_subspace(frame, symmetric_noise(*sd), stream);
    result.inside = add_symmetric_noise(n * sample.compress(*result.frame), inside_noise, stream);
  }
  return trusted::assume_released(std::move(result), as_run(guarantee_, stream), "spiked-robust");
}

double GapPlan::smallest_useful_gap() const {
  double low = 0.0;
  double high = 1e6 * radius_ * radius_ * (1.0 + gap_sd_);
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (projector_sd(expected_lower(middle)) ? high : low) = middle;
  }
  return high;
}

GapComponents gap_components(const GapResult& result) {
  const SymmetricEigen inside = symmetric_eigen(result.inside / std::max(1.0, result.count));
  GapComponents components{*result.frame * inside.vectors, inside.values.cwiseMax(0.0)};
  for (Eigen::Index j = 0; j < components.loadings.cols(); ++j) {
    fix_sign(components.loadings.col(j));
  }
  return components;
}

}  // namespace eigenveil
