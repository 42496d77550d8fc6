#include "mechanism/orbit/orbit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "core/outward.hpp"
#include "core/symmetric_eigen.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "mechanism/moment/effective_delta.hpp"
#include "mechanism/moment/moment_plan.hpp"
#include "mechanism/orbit/orbit_statement.hpp"
#include "sampling/orbit.hpp"

namespace eigenveil {
namespace {

using Index = Eigen::Index;

/// Beyond it nothing is hidden, and exponents would leave the range the samplers were tested on.
constexpr double kLargestEpsilon = 1e6;

bool is_monotone(Relation relation) {
  return relation == Relation::AddRemove || relation == Relation::ZeroRow;
}

Result<void> check_field(const OrbitRequest& request) {
  if (request.field == RowField::Real) {
    return {};
  }
  if (request.bound.dimension() % 2 != 0) {
    return bad_request(
        "complex rows need an even number of columns: real and imaginary part of each coordinate");
  }
  if (request.bound.has_ranges() || !(request.scales.array() == 1.0).all()) {
    return bad_request(
        "ranges would scale real and imaginary parts apart; bound complex rows by {row_norm R}");
  }
  return {};
}

/// Products and steps of such eigenvalues stay within the range of doubles.
constexpr double kSmallest = 1e-100;
constexpr double kLargest = 1e100;

Result<void> check_spectrum(const Vector& spectrum, Index dimension) {
  if (spectrum.size() < 1 || spectrum.size() > dimension) {
    return bad_request(
        fmt::format("the number of eigenvalues must satisfy 1 <= k <= {}", dimension));
  }
  if (!spectrum.allFinite() || spectrum.minCoeff() < 0.0 ||
      !std::is_sorted(spectrum.begin(), spectrum.end(), std::greater<>())) {
    return bad_request("eigenvalues must be finite, not negative, and given largest first");
  }
  if (spectrum[0] != 0.0 && !(spectrum[0] >= kSmallest && spectrum[0] <= kLargest)) {
    return bad_request(
        fmt::format("the largest eigenvalue must lie between {:g} and {:g}", kSmallest, kLargest));
  }
  return {};
}

}  // namespace

double orbit_spread(const Vector& spectrum, Index dimension) {
  if (spectrum.size() < dimension) {
    return spectrum[0];
  }
  const double largest = spectrum[0];
  const double smallest = spectrum[dimension - 1];
  if (!(smallest < largest)) {
    return 0.0;
  }
  // The sampler sees l_d / l_1 as a double, which may be farther from 1 than the quotient is.
  return std::max(up(largest - smallest), up(largest * (1.0 - smallest / largest)));
}

Result<double> orbit_exponent(PureDp budget, Relation relation, const Vector& spectrum,
                              Index dimension, OrbitCalibration calibration) {
  if (relation != Relation::ReplaceOne && !is_monotone(relation)) {
    return bad_request(
        fmt::format("method orbit has no guarantee for neighbours '{}'; use add-remove, "
                    "replace-one or zero-row",
                    name_of(relation)));
  }
  const double spread = orbit_spread(spectrum, dimension);
  if (!(spread > 0.0)) {
    return 0.0;
  }
  if (calibration == OrbitCalibration::Published) {
    return down(budget.epsilon / up(4.0 * spectrum[0]));
  }
  return down(budget.epsilon / up(is_monotone(relation) ? spread : 2.0 * spread));
}

OrbitDraw draw_on_orbit(const HermitianMoment& moment, const Vector& spectrum, double exponent,
                        const Blur& blur, RandomStream& stream) {
  const Index d = moment.dimension();
  const double largest = spectrum[0];
  if (!(largest > 0.0)) {
    return {ComplexMatrix::Zero(d, d), spectrum};
  }
  if (!(orbit_spread(spectrum, d) > 0.0)) {  // the orbit is one point
    return {ComplexMatrix(largest * ComplexMatrix::Identity(d, d)), spectrum};
  }
  // exp(c tr(M H)) = exp((c l_1) tr(M H / l_1)): the sampler sees eigenvalues of order 1.
  const Result<OrbitSampler> sampler =
      OrbitSampler::make({moment.eigenvalues(), spectrum / largest, exponent * largest});
  assert(sampler && "a checked plan has a sampler for every table");
  const ComplexMatrix frame = moment.rotate(sampler->draw(stream));
  // The frame carries the eigenbasis of M in its phases, and H = V Vᴴ the errors of solver and
  // sampler in its low bits: the blurred H is all that may go out.
  return {blurred_on_orbit(frame * frame.adjoint(), spectrum, blur, stream), spectrum};
}

double orbit_draw_seconds(const OrbitRequest& request, Index rank, double exponent) {
  return exponent > 0.0
             ? coupling_seconds(coordinates_of(request.bound.dimension(), request.field), rank)
             : 0.0;
}

std::vector<std::string> orbit_assumptions(const Blur& blur, const DrawnBudget& divided,
                                           int group_size) {
  std::vector<std::string> list = {
      "random bits: ChaCha20 keyed by the operating system cannot be told from true randomness"};
  for (std::string& entry : drawn_assumptions(blur, divided, group_size)) {
    list.push_back(std::move(entry));
  }
  return list;
}

DrawBudget orbit_draw_budget(PureDp directions, Index dimension, Index rank) {
  return split_draw_budget(directions.epsilon,
                           {dimension, rank, DrawShape::Released::HermitianMatrix});
}

Result<DrawnBudget> orbit_budget(const OrbitRequest& request, Index rank, double share) {
  if (request.scales.size() != static_cast<Index>(request.bound.dimension())) {
    return bad_request("a draw on an orbit needs a scale for every column");
  }
  if (const Result<void> sound = check_field(request); !sound) {
    return error_of(sound);
  }
  const Index dimension = coordinates_of(request.bound.dimension(), request.field);
  if (rank < 1 || rank > dimension) {
    return bad_request(fmt::format("{{components}} must satisfy 1 <= k <= {}, the number of {}",
                                   dimension,
                                   request.field == RowField::Real ? "columns" : "coordinates"));
  }
  if (!request.unbounded_time) {
    if (const Result<void> affordable = check_coupling_cost(dimension, rank); !affordable) {
      return error_of(affordable);
    }
  }
  const Result<DrawnBudget> divided =
      divide_drawn_budget(request.budget, request.group_size, share);
  if (divided && divided->directions.epsilon > kLargestEpsilon) {
    return bad_request("the budget is so large that nothing would be hidden; spend less");
  }
  return divided;
}

Guarantee orbit_guarantee(const OrbitRequest& request, const DrawnBudget& divided,
                          std::vector<std::string> assumptions) {
  return {request.relation,       divided.whole, Basis::ProvedRealArithmetic,
          std::move(assumptions), true,          request.group_size};
}

Result<OrbitPlan> OrbitPlan::make(const OrbitRequest& request, Vector spectrum) {
  const Result<DrawnBudget> divided = orbit_budget(request, spectrum.size(), 0.0);
  if (!divided) {
    return error_of(divided);
  }
  const Index dimension = coordinates_of(request.bound.dimension(), request.field);
  if (const Result<void> sound = check_spectrum(spectrum, dimension); !sound) {
    return error_of(sound);
  }
  const DrawBudget budget = orbit_draw_budget(divided->directions, dimension, spectrum.size());
  const Result<double> exponent = orbit_exponent(PureDp{budget.draw}, request.relation, spectrum,
                                                 dimension, request.calibration);
  if (!exponent) {
    return error_of(exponent);
  }
  OrbitPlan plan(request, std::move(spectrum));
  plan.divided_ = *divided;
  plan.exponent_ = *exponent;
  plan.blur_ = budget.blur;
  plan.guarantee_ = orbit_guarantee(request, *divided,
                                    orbit_assumptions(budget.blur, *divided, request.group_size));
  return plan;
}

Result<void> check_gram(const OrbitRequest& request, const ExactGram& gram) {
  if (!(gram.bound() == request.bound)) {
    return bad_request("the plan was made for rows with another bound");
  }
  return check_pairs(gram.schema().columns, request.field);
}

Result<Release<OrbitDraw>> OrbitPlan::run(const ExactGram& gram, RandomStream& stream) const {
  if (const Result<void> fits = check_gram(request_, gram); !fits) {
    return error_of(fits);
  }
  const HermitianMoment moment(gram, request_.scales, request_.field);
  return trusted::assume_released<OrbitDraw>(
      draw_on_orbit(moment, spectrum_, exponent_, blur_, stream), as_run(guarantee_, stream),
      "orbit");
}

Matrix real_subspace(const OrbitDraw& draw, Index count) {
  return largest_eigenpairs(draw.matrix.real(), count).vectors;
}

Matrix real_truncation(const OrbitDraw& draw, Index rank) {
  const SymmetricEigen top = largest_eigenpairs(draw.matrix.real(), rank);
  const Matrix half = top.vectors * top.values.cwiseMax(0.0).cwiseSqrt().asDiagonal();
  return half * half.transpose();
}

}  // namespace eigenveil
