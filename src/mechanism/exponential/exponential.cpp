#include "mechanism/exponential/exponential.hpp"

#include <cassert>
#include <cmath>
#include <utility>

#include "core/outward.hpp"
#include "core/symmetric_eigen.hpp"
#include "mechanism/moment/effective_delta.hpp"
#include "sampling/bingham.hpp"

namespace eigenveil {
namespace {

std::vector<std::string> assumptions_of(const ProjectionPlan& projection, const Blur& blur,
                                        const DrawnBudget& divided, int group_size) {
  std::vector<std::string> assumptions = projection.guarantee().assumptions;
  for (std::string& entry : drawn_assumptions(blur, divided, group_size)) {
    assumptions.push_back(std::move(entry));
  }
  return assumptions;
}

}  // namespace

Result<double> exponential_exponent(double epsilon, double row_norm2_bound, Relation relation) {
  switch (relation) {
    case Relation::AddRemove:
    case Relation::ZeroRow:
      return down(epsilon / row_norm2_bound);
    case Relation::ReplaceOne:
      return down(epsilon / up(2.0 * row_norm2_bound));
    default:
      return bad_request(
          "the exponential mechanism is proved for neighbours add-remove, zero-row and "
          "replace-one; choose one of them");
  }
}

Matrix draw_component(const Matrix& moment, double exponent, const Blur& blur,
                      RandomStream& stream) {
  const SymmetricEigen eigen = symmetric_eigen(moment);
  const Result<BinghamSampler> sampler = BinghamSampler::make(eigen.values, exponent, 1);
  assert(sampler && "one column has an exact sampler for every spectrum");
  return round_frame(blurred_frame(eigen.vectors * sampler->draw(stream), blur, stream));
}

Result<ExponentialPlan> plan_exponential(const ExponentialRequest& request) {
  if (!(request.variance_share > 0.0 && request.variance_share < 1.0)) {
    return bad_request("the share of the budget for the variance must lie between 0 and 1");
  }
  const Result<DrawnBudget> divided =
      divide_drawn_budget(request.budget, request.group_size, request.variance_share);
  if (!divided) {
    return error_of(divided);
  }
  const double norm2 = scaled_norm2_bound(request.bound, request.scales);
  const DrawBudget draw =
      split_draw_budget(divided->directions.epsilon, {request.scales.size(), 1, {}});
  const Result<double> exponent = exponential_exponent(draw.draw, norm2, request.relation);
  if (!exponent) {
    return error_of(exponent);
  }
  const Result<ProjectionPlan> projection =
      ProjectionPlan::make({request.bound, request.scales, 1, request.relation, divided->beside});
  if (!projection) {
    return error_of(projection);
  }
  ExponentialPlan plan(request.scales, *projection);
  plan.exponent_ = *exponent;
  plan.blur_ = draw.blur;
  plan.divided_ = *divided;
  plan.row_norm2_bound_ = norm2;
  plan.guarantee_ = {request.relation,
                     divided->whole,
                     Basis::ProvedRealArithmetic,
                     assumptions_of(*projection, draw.blur, *divided, request.group_size),
                     true,
                     request.group_size};
  return plan;
}

Result<Release<DrawnSubspace>> ExponentialPlan::run(const ExactGram& gram,
                                                    RandomStream& stream) const {
  Matrix frame = draw_component(scaled_moment(gram, scales_), exponent_, blur_, stream);
  return projection_.run(gram, frame, stream).map([&](const Release<NoisyProjection>& inside) {
    return trusted::assume_released<DrawnSubspace>(
        {gram.schema(), std::move(frame), inside.value()}, as_run(guarantee_, stream),
        "exponential");
  });
}

}  // namespace eigenveil
