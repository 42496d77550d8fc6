#include "mechanism/subspace/approximate_subspace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/symmetric_eigen.hpp"
#include "mechanism/moment/moment_plan.hpp"
#include "mechanism/subspace/grid_cells.hpp"
#include "mechanism/subspace/grid_outlook.hpp"
#include "mechanism/subspace/group_spread.hpp"

namespace eigenveil {
namespace {

/// Unknown gamma: 15 values, 4 weighings by bisection.
constexpr std::size_t kRungs = 15;
constexpr double kLargestLadderGamma = 0.3;
constexpr double kRungFactor = 3.0;
/// Comparing all groups costs t^2 q d: t q d is limited to this, unless fewer than 250 groups would
/// be left.
constexpr std::size_t kLargestPositions = 120'000'000;
/// Positions are rounded to this share of the smallest radius over sqrt(coordinates).
constexpr double kStepsPerRadius = 32.0;
constexpr double kUsualRadiusSteps = 0x1p14;
/// Radii that steps of kFinestStep resolve no better than this (over sqrt(coordinates)) are
/// widened: rounding then adds 0.5% to a distance, (0.41 / 4)^2 / 2.
constexpr double kFewestStepsPerRadius = 4.0;
/// Cells of the grid have this many steps, and never fewer than the second number: a whole number
/// of steps is then within 1% of any side.
constexpr double kUsualSideSteps = 0x1p20;
constexpr double kFewestSideSteps = 64.0;
/// The default cells are as narrow as an answer with this probability allows.
constexpr double kGridAnswer = 0.9;
/// Probability that noise turns the subspace further than the release says.
constexpr double kNoiseAngleError = 1e-3;

Result<void> check_request(const SubspaceRequest& request) {
  if (request.subspace < 1 || request.subspace > request.dimension) {
    return bad_request(fmt::format(
        "{{components}} must satisfy 1 <= k <= {}, the number of columns", request.dimension));
  }
  if (!(request.budget.epsilon > 0.0) || !(request.budget.delta > 0.0) ||
      request.budget.delta > 0.5) {
    return bad_request("subspace needs epsilon > 0 and 0 < delta <= 1/2");
  }
  if (request.gamma && (!(*request.gamma > 0.0) || !(*request.gamma < 1.0))) {
    return bad_request("{gamma} must lie between 0 and 1");
  }
  if (request.references_per_direction < 1 || request.references_per_direction > 100) {
    return bad_request("{references} must be a whole number from 1 to 100");
  }
  if (!(request.largest_noise_angle > 0.0) || !(request.largest_noise_angle < 1.0)) {
    return bad_request("{largest_noise_angle} is a sine and must lie between 0 and 1");
  }
  for (const double factor : {request.cell_factor, request.radius_factor}) {
    if (!(factor >= 1e-3) || !(factor <= 1e6)) {
      return bad_request("{cell_factor} and {radius_factor} must lie between 0.001 and 1000000");
    }
  }
  return {};
}

/// The first-order radius for a given gamma; positions lie within sqrt(q d) of each other anyway.
double radius_for(const detail::GroupSpread& spread, double gamma, const GroupShape& shape) {
  const auto free = static_cast<double>(shape.dimension - shape.subspace);
  // Entries of E fluctuate too, which shows when there are few of them.
  const double slack = 1.0 + 3.0 * std::sqrt(2.0 / std::max(1.0, free));
  const double smallest = 1e-12 * std::sqrt(static_cast<double>(shape.dimension));
  return smallest + gamma * std::sqrt(2.0 * free * spread.quantile * slack);
}

/// Rounding moves a position by at most half a step in every coordinate.
double largest_rounding(const GroupShape& shape) {
  return 0.5 * shape.step * std::sqrt(static_cast<double>(shape.coordinates()));
}

}  // namespace

Result<SubspacePlan> SubspacePlan::make(const SubspaceRequest& request) {
  if (const Result<void> checked = check_request(request); !checked) {
    return error_of(checked);
  }
  SubspacePlan plan;
  plan.request_ = request;
  plan.shape_.dimension = request.dimension;
  plan.shape_.subspace = request.subspace;
  plan.shape_.references = request.references_per_direction * request.subspace;
  const bool core = request.aggregate == SubspaceAggregate::Core;
  const Result<void> planned = core ? plan.plan_core() : plan.plan_grid();
  if (!planned) {
    return error_of(planned);
  }
  plan.guarantee_ = stated(request.budget, request.aggregate);
  return plan;
}

Guarantee SubspacePlan::stated(const ApproxDp& budget, SubspaceAggregate aggregate) {
  Guarantee guarantee{Relation::ReplaceOne, budget, Basis::Proved,
                      noise_assumptions(NoiseLaw::Gaussian), true};
  if (aggregate == SubspaceAggregate::Grid) {
    guarantee.assumptions = noise_assumptions(NoiseLaw::Laplace);
    guarantee.assumptions.emplace_back("SHA-256: no two cells are found that share a key");
  }
  // Groups that hold no changed row must give the bits they gave before.
  guarantee.assumptions.emplace_back(kLibraryAssumption);
  return guarantee;
}

/// One number of groups; keeps the plan if it predicts a smaller error than the best so far.
Result<void> SubspacePlan::try_core(std::size_t groups) {
  GroupShape shape = shape_;
  shape.groups = groups;
  shape.per_group = request_.rows / groups;
  const detail::GroupSpread spread = detail::simulate_group_spread(
      shape.subspace, shape.per_group, shape.references, request_.radius_factor);
  const double root = std::sqrt(static_cast<double>(shape.coordinates()));
  std::vector<double> radii;
  for (const double gamma : gammas_) {
    radii.push_back(std::max(kFewestStepsPerRadius * root * kFinestStep,
                             request_.radius_factor * radius_for(spread, gamma, shape)));
  }
  const double radius_steps = std::max(kUsualRadiusSteps, kStepsPerRadius * root);
  shape.step = std::max(kFinestStep, radii.front() / radius_steps);
  Result<StableCore> core = StableCore::make(shape, radii, request_.budget);
  if (!core) {
    return error_of(core);
  }
  const double weight = core->expected_weight(spread.agreement);
  const double certain = weight - static_cast<double>(core->noise_bound());
  const CoreUnits units{static_cast<std::int64_t>(groups)};
  if (certain < static_cast<double>(units.sensitivity())) {
    return bad_request(fmt::format(
        "{} rows are too few: at this budget the core needs more groups of more than {} rows",
        request_.rows, request_.subspace));
  }
  const double angle = core->noise_sd(radii.back(), weight) *
                       std::sqrt(static_cast<double>(shape.dimension)) /
                       (spread.smallest_singular * gammas_.back());
  if (!core_ || angle < angle_per_gamma_) {
    angle_per_gamma_ = angle;
    shape_ = shape;
    radii_ = radii;
    agreement_ = spread.agreement;
    core_ = std::move(*core);
  }
  return {};
}

Result<void> SubspacePlan::plan_core() {
  if (request_.gamma) {
    gammas_ = {*request_.gamma};
  } else {
    for (std::size_t rung = 0; rung < kRungs; ++rung) {
      gammas_.insert(gammas_.begin(),
                     kLargestLadderGamma / std::pow(kRungFactor, static_cast<double>(rung)));
    }
  }
  const std::size_t smallest_group = request_.subspace + 2;
  if (request_.groups) {
    if (*request_.groups < 3 || request_.rows / *request_.groups < smallest_group) {
      return bad_request(fmt::format("{{groups}} must leave at least {} rows in each of at least 3",
                                     smallest_group));
    }
    return try_core(*request_.groups);
  }
  Result<void> last = bad_request(
      fmt::format("{} rows are too few: a group needs at least {}", request_.rows, smallest_group));
  const std::size_t most =
      std::clamp<std::size_t>(kLargestPositions / shape_.coordinates(), 250, 2000);
  std::size_t before = 0;
  for (double size = static_cast<double>(smallest_group);
       size <= static_cast<double>(request_.rows) / 3.0; size *= 1.25) {
    const std::size_t groups = std::min(request_.rows / static_cast<std::size_t>(size), most);
    if (groups == before || groups < 3) {
      continue;
    }
    before = groups;
    last = try_core(groups);
    if (!last && core_) {
      break;  // fewer groups do not help any more
    }
  }
  return core_ ? Result<void>() : last;
}

Result<void> SubspacePlan::plan_grid() {
  if (!request_.gamma) {
    return bad_request("{aggregate grid} needs {gamma}; the core searches for it");
  }
  Result<StabilityHistogram> histogram = StabilityHistogram::make(request_.budget);
  if (!histogram) {
    return error_of(histogram);
  }
  const auto fewest = static_cast<std::size_t>(2 * histogram->noise_bound() + 1);
  shape_.groups = request_.groups.value_or(fewest + fewest / 4);
  shape_.per_group = request_.rows / std::max<std::size_t>(1, shape_.groups);
  if (shape_.groups < fewest || shape_.per_group < request_.subspace + 2) {
    return bad_request(fmt::format(
        "{} rows are too few: at this budget the grid needs at least {} groups of at least {} rows",
        request_.rows, fewest, request_.subspace + 2));
  }
  const detail::GroupSpread spread =
      detail::simulate_group_spread(shape_.subspace, shape_.per_group, shape_.references, 1.0);
  const auto free = static_cast<double>(shape_.dimension - shape_.subspace);
  const auto coordinates = static_cast<double>(shape_.coordinates());
  // Every coordinate may cut: a wall falls within one deviation of it, on either side, with
  // probability 2 deviation / side.
  const double deviation = *request_.gamma * std::sqrt(free * spread.mean / coordinates) + 1e-12;
  const detail::GridOutlook outlook(*histogram, shape_.groups, spread.spreads);
  const double for_one_cut = 2.0 * coordinates * deviation;
  const double side = request_.cell_factor * for_one_cut / outlook.largest_cuts(kGridAnswer);
  shape_.step = std::max(kFinestStep, side / kUsualSideSteps);
  side_steps_ = std::llround(std::max(kFewestSideSteps, side / shape_.step));
  cell_side_ = static_cast<double>(side_steps_) * shape_.step;
  const detail::GridOutlook::Chances chances = outlook.at(for_one_cut / cell_side_);
  agreement_ = chances.one_cell;
  answer_probability_ = chances.answer;
  angle_per_gamma_ = cell_side_ / std::sqrt(12.0) *
                     std::sqrt(static_cast<double>(shape_.dimension)) /
                     (spread.smallest_singular * *request_.gamma);
  histogram_ = std::move(*histogram);
  return {};
}

GroupBuilder SubspacePlan::builder(RandomStream& stream, int threads) const {
  return {shape_, draw_reference_points(shape_, stream), threads};
}

LearnedSubspace SubspacePlan::run_core(const GroupPositions& positions, RandomStream& stream,
                                       int threads) const {
  const std::optional<CoreAverage> average = core_->run(positions, stream, threads);
  if (!average) {
    return {};
  }
  ReferenceSpan span = span_of_references(average->reference_points, shape_.subspace);
  // The norm of d x q normals exceeds sqrt(d) + sqrt(q) + sqrt(2 ln(1/error)) with at most that
  // probability, and noise of norm z turns the span by at most z / s_k, s_k of the noisy points.
  const double noise = average->noise_sd * (std::sqrt(static_cast<double>(shape_.dimension)) +
                                            std::sqrt(static_cast<double>(shape_.references)) +
                                            std::sqrt(-2.0 * std::log(kNoiseAngleError)));
  const double angle = std::min(1.0, (noise + largest_rounding(shape_)) / span.smallest_singular);
  // A subspace that noise explains is no answer: this looks at released numbers alone.
  const bool whole = shape_.subspace == shape_.dimension;
  if (span.smallest_singular == 0.0 || (!(angle <= request_.largest_noise_angle) && !whole)) {
    return {};
  }
  return {true, std::move(span.frame), average->noise_sd, angle, average->radius};
}

/// How far the released point lies from the position of any group in its cell (spectral norm), but
/// for probability kNoiseAngleError: from the cell's middle, where the offset put it, at most half
/// a diagonal, and the uniform point from the middle at most that or what random matrices allow
/// (docs/proofs/grid_and_votes.md).
double SubspacePlan::largest_grid_noise() const {
  constexpr double kRootTwoPi = 2.5066282746310005;
  const double half_diagonal = 0.5 * std::sqrt(static_cast<double>(shape_.coordinates()));
  const double expected = kRootTwoPi / 8.0 *
                          (std::sqrt(static_cast<double>(shape_.dimension)) +
                           std::sqrt(static_cast<double>(shape_.references)));
  const double excess = std::sqrt(-2.0 * std::log(kNoiseAngleError)) / kRootTwoPi;
  return cell_side_ * (half_diagonal + std::min(half_diagonal, expected + excess)) +
         largest_rounding(shape_);
}

LearnedSubspace SubspacePlan::run_grid(const GroupPositions& positions,
                                       RandomStream& stream) const {
  const std::optional<Matrix> cell =
      detail::point_of_fullest_cell(positions, *histogram_, side_steps_, stream);
  if (!cell) {
    return {};
  }
  ReferenceSpan span = span_of_references(*cell, shape_.subspace);
  const double sd = cell_side_ / std::sqrt(12.0);
  // The expected angle decides, a public number: the bound is several times larger, and a user who
  // reads it can refuse the answer, too.
  const double expected = predicted_angle(*request_.gamma);
  const bool whole = shape_.subspace == shape_.dimension;
  if (span.smallest_singular == 0.0 || (!(expected <= request_.largest_noise_angle) && !whole)) {
    return {};
  }
  const double angle = std::min(1.0, largest_grid_noise() / span.smallest_singular);
  return {true, std::move(span.frame), sd, angle, 0.0};
}

Release<LearnedSubspace> SubspacePlan::run(const GroupPositions& positions, RandomStream& stream,
                                           int threads) const {
  LearnedSubspace learned =
      core_ ? run_core(positions, stream, threads) : run_grid(positions, stream);
  return trusted::assume_released(std::move(learned), as_run(guarantee_, stream),
                                  "subspace " + aggregate_name());
}

std::size_t boosting_parts(double failure_probability) {
  // C3. Chernoff: more than 0.4 t' of t' parts err with probability at most exp(-t' / 2) = b when
  // each errs with probability at most 0.058.
  constexpr double kPartsPerNat = 2.0;
  const auto parts =
      static_cast<std::size_t>(std::ceil(kPartsPerNat * std::log(1.0 / failure_probability)));
  return std::max<std::size_t>(3, parts | 1U);
}

double sine_of_angle(const Matrix& first, const Matrix& second) {
  const Matrix outside = second - first * (first.transpose() * second);
  return std::sqrt(std::max(0.0, symmetric_eigen(outside.transpose() * outside).values[0]));
}

LearnedSubspace agreeing_subspace(const std::vector<LearnedSubspace>& parts, double angle) {
  const double needed = 0.6 * static_cast<double>(parts.size()) - 1.0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    double near = 0.0;
    for (std::size_t j = 0; j < parts.size(); ++j) {
      near += i != j && parts[i].found && parts[j].found &&
                      sine_of_angle(parts[i].frame, parts[j].frame) <= angle
                  ? 1.0
                  : 0.0;
    }
    if (parts[i].found && near >= needed) {
      return parts[i];
    }
  }
  return {};
}

}  // namespace eigenveil
