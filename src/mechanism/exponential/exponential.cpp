#include "mechanism/exponential/exponential.hpp"

#include <cassert>
#include <cmath>
#include <utility>

#include "core/outward.hpp"
#include "core/symmetric_eigen.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "mechanism/moment/effective_delta.hpp"
#include "sampling/bingham.hpp"

namespace eigenveil {
namespace {

/// One row's loss, divided between the draw and what is measured along it.
struct BudgetSplit {
  double direction_epsilon = 0.0;
  PerRowLoss variance;
  Loss whole;
  double zcdp_rho = 0.0;
};

/// The loss of draw and blur lies in an interval of this length: the blur moves it to both sides.
double range_of_draw(double epsilon) {
  return up(epsilon * (1.0 + kBlurShare));
}

BudgetSplit split_pure(double epsilon, double share) {
  const double variance = down(share * epsilon);
  const double direction = down(epsilon - variance);
  const double rho =
      up(up(bounded_range_zcdp(range_of_draw(direction)).rho) + up(pure_zcdp(variance).rho));
  return {direction, PureDp{variance}, PureDp{epsilon}, rho};
}

/// Bounded range: the draw costs epsilon²/8 of rho (docs/proofs/exponential.md).
BudgetSplit split_zcdp(double rho, double share) {
  const double variance = down(share * rho);
  const double direction = down(rho - variance);
  return {down(std::sqrt(down(8.0 * direction)) / (1.0 + kBlurShare), 4),
          GaussianDp{down(std::sqrt(down(2.0 * variance)), 2)}, Zcdp{rho}, rho};
}

Result<BudgetSplit> split_budget(const ExponentialRequest& request) {
  if (std::holds_alternative<Zcdp>(request.budget)) {
    return budget_per_row(request.budget, request.group_size).map([&](const Budget& per_row) {
      return split_zcdp(std::get<Zcdp>(per_row).rho, request.variance_share);
    });
  }
  return pure_budget_per_row(request.budget, request.group_size).map([&](PureDp pure) {
    return split_pure(pure.epsilon, request.variance_share);
  });
}

double mu_of(const PerRowLoss& noise) {
  const auto* gaussian = std::get_if<GaussianDp>(&noise);
  return gaussian != nullptr ? gaussian->mu : pure_gdp(std::get<PureDp>(noise).epsilon).mu;
}

/// The mu that covers the whole: a loss within an interval of length r is mu(r / 2)-GDP
/// (docs/proofs/exponential.md), and squares add up with those of the noise along the draw.
Result<std::vector<Loss>> covering_mu(const BudgetSplit& split, int group_size) {
  const double draw = pure_gdp(up(0.5 * range_of_draw(split.direction_epsilon))).mu;
  const double noise = mu_of(split.variance);
  const double mu = up(std::sqrt(up(up(draw * draw) + up(noise * noise))));
  if (!std::isfinite(mu)) {
    return std::vector<Loss>{};
  }
  return group_loss(GaussianDp{mu}, group_size).map([](const Loss& loss) {
    return std::vector<Loss>{loss};
  });
}

std::vector<std::string> assumptions_of(const ProjectionPlan& projection, const Blur& blur,
                                        PureDp direction, int group_size) {
  std::vector<std::string> assumptions = projection.guarantee().assumptions;
  for (std::string& entry : pure_draw_assumptions(blur, direction, group_size)) {
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
  const Result<BudgetSplit> split = split_budget(request);
  if (!split) {
    return error_of(split);
  }
  const double norm2 = scaled_norm2_bound(request.bound, request.scales);
  const DrawBudget draw =
      split_draw_budget(split->direction_epsilon, {request.scales.size(), 1, {}});
  const Result<double> exponent = exponential_exponent(draw.draw, norm2, request.relation);
  if (!exponent) {
    return error_of(exponent);
  }
  const Result<ProjectionPlan> projection =
      ProjectionPlan::make({request.bound, request.scales, 1, request.relation, split->variance});
  if (!projection) {
    return error_of(projection);
  }
  const Result<Loss> loss = group_loss(split->whole, request.group_size);
  if (!loss) {
    return error_of(loss);
  }
  Result<std::vector<Loss>> further = covering_mu(*split, request.group_size);
  if (!further) {
    return error_of(further);
  }
  ExponentialPlan plan(request.scales, *projection);
  plan.further_losses_ = *std::move(further);
  plan.exponent_ = *exponent;
  plan.blur_ = draw.blur;
  plan.direction_epsilon_ = split->direction_epsilon;
  plan.row_norm2_bound_ = norm2;
  plan.zcdp_rho_ = split->zcdp_rho;
  plan.guarantee_ = {
      request.relation,
      *loss,
      Basis::ProvedRealArithmetic,
      assumptions_of(*projection, draw.blur, PureDp{split->direction_epsilon}, request.group_size),
      true,
      request.group_size};
  return plan;
}

Result<Release<DrawnSubspace>> ExponentialPlan::run(const ExactGram& gram,
                                                    RandomStream& stream) const {
  Matrix frame = draw_component(scaled_moment(gram, scales_), exponent_, blur_, stream);
  return projection_.run(gram, frame, stream).map([&](const Release<NoisyProjection>& inside) {
    return Release<DrawnSubspace>({gram.schema(), std::move(frame), inside.value()},
                                  as_run(guarantee_, stream), "exponential");
  });
}

}  // namespace eigenveil
