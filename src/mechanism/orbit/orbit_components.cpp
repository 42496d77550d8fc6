#include "mechanism/orbit/orbit_components.hpp"

#include <utility>

#include "core/hermitian_eigen.hpp"
#include "mechanism/orbit/orbit_statement.hpp"

namespace eigenveil {

Result<OrbitComponentsPlan> OrbitComponentsPlan::make(const OrbitRequest& request,
                                                      Eigen::Index rank, double variance_share) {
  if (!(variance_share > 0.0 && variance_share < 1.0)) {
    return bad_request("the share of the budget for the variance must lie between 0 and 1");
  }
  const Eigen::Index dimension = coordinates_of(request.bound.dimension(), request.field);
  // Every direction is known where k = d: all of the budget goes inside.
  const Result<DrawnBudget> divided =
      orbit_budget(request, rank, rank == dimension ? 1.0 : variance_share);
  if (!divided) {
    return error_of(divided);
  }
  const Vector spectrum = Vector::Ones(rank);
  const DrawBudget budget = orbit_draw_budget(divided->directions, dimension, rank);
  const Result<double> exponent = orbit_exponent(PureDp{budget.draw}, request.relation, spectrum,
                                                 dimension, request.calibration);
  if (!exponent) {
    return error_of(exponent);
  }
  const Eigen::Index columns = request.field == RowField::Complex ? 2 * rank : rank;
  Result<ProjectionPlan> projection = ProjectionPlan::make(
      {request.bound, request.scales, columns, request.relation, divided->beside});
  if (!projection) {
    return error_of(projection);
  }
  OrbitComponentsPlan plan(request, *std::move(projection));
  plan.spectrum_ = spectrum;
  plan.exponent_ = *exponent;
  plan.blur_ = budget.blur;
  plan.divided_ = *divided;
  plan.guarantee_ = orbit_guarantee(request, *divided,
                                    orbit_assumptions(budget.blur, *divided, request.group_size));
  return plan;
}

Result<Release<OrbitComponents>> OrbitComponentsPlan::run(const ExactGram& gram,
                                                          RandomStream& stream) const {
  if (const Result<void> fits = check_gram(request_, gram); !fits) {
    return error_of(fits);
  }
  OrbitComponents result;
  {
    const HermitianMoment moment(gram, request_.scales, request_.field);
    result.orbit = draw_on_orbit(moment, spectrum_, exponent_, blur_, stream);
  }
  const bool complex = request_.field == RowField::Complex;
  result.frame = round_frame(
      complex ? paired_frame(hermitian_eigen(result.orbit.matrix).vectors.leftCols(rank()))
              : real_subspace(result.orbit, rank()));
  const Result<Release<NoisyProjection>> projection = projection_.run(gram, result.frame, stream);
  if (!projection) {
    return error_of(projection);
  }
  result.projection = projection->value();
  if (complex) {
    result.complex_row_components = complex_components(result.frame, result.projection);
  } else {
    result.components = components_in_subspace(result.frame, result.projection);
  }
  return trusted::assume_released<OrbitComponents>(std::move(result), as_run(guarantee_, stream),
                                                   "orbit");
}

}  // namespace eigenveil
