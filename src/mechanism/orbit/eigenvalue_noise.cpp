#include "mechanism/orbit/eigenvalue_noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/outward.hpp"
#include "eigenveil/statistics/trusted_totals.hpp"
#include "mechanism/gauss/gauss.hpp"
#include "mechanism/laplace/laplace.hpp"
#include "mechanism/moment/noisy_integers.hpp"
#include "mechanism/moment/solver_error.hpp"

namespace eigenveil {
namespace {

/// l2 distance of the computed from the exact eigenvalues on two tables together, in units of R²,
/// by the backward error (Hoffman, Wielandt). The trace of a table of N rows is at most N R².
double solver_slack(const EigenvalueShape& shape) {
  return up(2.0 * up(solver_error(shape.dimension) * kEigenvalueRows));
}

double root_of_rank(const EigenvalueShape& shape) {
  return up(std::sqrt(static_cast<double>(shape.rank)));
}

Result<void> check_relation(const EigenvalueShape& shape) {
  if (shape.relation != Relation::AddRemove && shape.relation != Relation::ReplaceOne &&
      shape.relation != Relation::ZeroRow) {
    return bad_request(
        fmt::format("eigenvalues have no sensitivity for neighbours '{}'; use "
                    "add-remove, replace-one or zero-row",
                    name_of(shape.relation)));
  }
  return {};
}

Result<NoiseScale> checked_scale(double sensitivity, const NoiseScale& scale) {
  if (scale.diagonal < sensitivity * 0x1p-40) {
    return bad_request("the budget is so large that nothing would be hidden; spend less");
  }
  return noise_grid_exponent(scale).map([&](int) { return scale; });
}

}  // namespace

Result<double> eigenvalue_l1_sensitivity(const EigenvalueShape& shape) {
  if (const Result<void> known = check_relation(shape); !known) {
    return error_of(known);
  }
  const double exact = shape.relation == Relation::ReplaceOne ? 2.0 : 1.0;
  const double solver = up(root_of_rank(shape) * solver_slack(shape));  // |.|_1 <= sqrt(k) |.|_2
  const double moved = up(kEigenvalueSteps * up(exact + solver));
  const double rounding = static_cast<double>(shape.rank);  // half a step on either table
  const double count = shape.releases_count() ? kCountWeight : 0.0;
  return up(up(moved + rounding) + count);
}

Result<double> eigenvalue_l2_sensitivity(const EigenvalueShape& shape) {
  if (const Result<void> known = check_relation(shape); !known) {
    return error_of(known);
  }
  const bool moves_two = shape.relation == Relation::ReplaceOne && shape.rank > 1;
  const double exact = moves_two ? up(std::sqrt(2.0)) : 1.0;
  const double moved = up(kEigenvalueSteps * up(exact + solver_slack(shape)));
  const double values = up(moved + root_of_rank(shape));  // half a step on either table
  const double count = shape.releases_count() ? kCountWeight : 0.0;
  return up(std::sqrt(up(up(values * values) + count * count)));  // count² is a power of two
}

Result<NoiseScale> eigenvalue_noise_scale(const EigenvalueShape& shape, const PerRowLoss& budget) {
  if (const auto* gaussian = std::get_if<GaussianDp>(&budget)) {
    return eigenvalue_l2_sensitivity(shape).and_then([&](double sensitivity) {
      return checked_scale(sensitivity, gaussian_noise_scale(sensitivity, *gaussian));
    });
  }
  return eigenvalue_l1_sensitivity(shape).and_then([&](double sensitivity) {
    return checked_scale(sensitivity, laplace_noise_scale(sensitivity, std::get<PureDp>(budget)));
  });
}

NoisyEigenvalues release_eigenvalues(const ExactGram& gram, const HermitianMoment& moment,
                                     const EigenvalueShape& shape, const NoiseScale& scale,
                                     RandomStream& stream) {
  std::vector<Int128> integers;
  for (Eigen::Index i = 0; i < shape.rank; ++i) {
    integers.push_back(
        static_cast<Int128>(std::nearbyint(moment.eigenvalues()[i] * kEigenvalueSteps)));
  }
  const std::uint64_t rows = trusted::totals(gram).count;
  if (shape.releases_count()) {
    integers.push_back(static_cast<Int128>(kCountWeight) * static_cast<Int128>(rows));
  }
  const Vector noisy = add_rounded_noise(integers, scale, stream);

  NoisyEigenvalues released;
  released.values = (noisy.head(shape.rank) / kEigenvalueSteps).cwiseMax(0.0);
  std::sort(released.values.begin(), released.values.end(), std::greater<>());
  const double sd = standard_deviation(scale.law, scale.diagonal);
  released.value_sd = sd / kEigenvalueSteps;
  if (shape.releases_count()) {
    released.count = noisy[shape.rank] / kCountWeight;
    released.count_sd = sd / kCountWeight;
  } else {
    released.count = static_cast<double>(rows);
  }
  return released;
}

}  // namespace eigenveil
