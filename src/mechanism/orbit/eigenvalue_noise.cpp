#include "mechanism/orbit/eigenvalue_noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/outward.hpp"
#include "eigenveil/statistics/trusted_totals.hpp"
#include "mechanism/laplace/laplace.hpp"
#include "mechanism/moment/noisy_integers.hpp"
#include "mechanism/moment/solver_error.hpp"

namespace eigenveil {
namespace {

/// l1 distance of the computed from the exact eigenvalues on two tables together, in units of R²:
/// |.|_1 <= sqrt(k) |.|_2, and the backward error bounds |.|_2 (Hoffman, Wielandt). The trace of a
/// table of N rows is at most N R².
double solver_slack(const EigenvalueShape& shape) {
  const double l2 = up(solver_error(shape.dimension) * kEigenvalueRows);
  return up(2.0 * up(up(std::sqrt(static_cast<double>(shape.rank))) * l2));
}

double rows_moved(Relation relation) {
  return relation == Relation::ReplaceOne ? 2.0 : 1.0;
}

}  // namespace

Result<double> eigenvalue_l1_sensitivity(const EigenvalueShape& shape) {
  if (shape.relation != Relation::AddRemove && shape.relation != Relation::ReplaceOne &&
      shape.relation != Relation::ZeroRow) {
    return bad_request(
        fmt::format("eigenvalues have no sensitivity for neighbours '{}'; use "
                    "add-remove, replace-one or zero-row",
                    name_of(shape.relation)));
  }
  const double moved = up(kEigenvalueSteps * up(rows_moved(shape.relation) + solver_slack(shape)));
  const double rounding = static_cast<double>(shape.rank);  // half a step on either table
  const double count = shape.releases_count() ? kCountWeight : 0.0;
  return up(up(moved + rounding) + count);
}

Result<double> eigenvalue_noise_scale(const EigenvalueShape& shape, PureDp budget) {
  return eigenvalue_l1_sensitivity(shape).and_then([&](double sensitivity) -> Result<double> {
    const NoiseScale scale = laplace_noise_scale(sensitivity, budget);
    if (scale.diagonal < sensitivity * 0x1p-40) {
      return bad_request("the budget is so large that nothing would be hidden; spend less");
    }
    return noise_grid_exponent(scale).map([&](int) { return scale.diagonal; });
  });
}

NoisyEigenvalues release_eigenvalues(const ExactGram& gram, const HermitianMoment& moment,
                                     const EigenvalueShape& shape, double noise_scale,
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
  const NoiseScale scale{NoiseLaw::Laplace, noise_scale, noise_scale};
  const Vector noisy = add_rounded_noise(integers, scale, stream);

  NoisyEigenvalues released;
  released.values = (noisy.head(shape.rank) / kEigenvalueSteps).cwiseMax(0.0);
  std::sort(released.values.begin(), released.values.end(), std::greater<>());
  const double sd = standard_deviation(NoiseLaw::Laplace, noise_scale);
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
