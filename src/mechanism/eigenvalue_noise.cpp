#include "eigenveil/mechanism/eigenvalue_noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "eigenveil/core/outward.hpp"
#include "eigenveil/mechanism/laplace.hpp"
#include "eigenveil/mechanism/noisy_integers.hpp"
#include "eigenveil/statistics/trusted_totals.hpp"

namespace eigenveil {
namespace {

constexpr int kCountShare = 4;  ///< the count costs a quarter more noise
/// Backward error of the solver and of the conversion to doubles, in Frobenius norm, relative to
/// the trace: kSolverConstant * d * 2^-53.
constexpr double kSolverConstant = 8.0;

/// l1 distance of the computed from the exact eigenvalues on two tables together, in units of R²:
/// |.|_1 <= sqrt(k) |.|_2, and the backward error bounds |.|_2 (Hoffman, Wielandt). The trace of a
/// table of N rows is at most N R².
double solver_slack(const EigenvalueShape& shape) {
  const double relative = kSolverConstant * static_cast<double>(shape.dimension) * 0x1p-53;
  const double l2 = up(relative * kEigenvalueRows);
  return up(2.0 * up(up(std::sqrt(static_cast<double>(shape.rank))) * l2));
}

double rows_moved(Relation relation) {
  return relation == Relation::ReplaceOne ? 2.0 : 1.0;
}

}  // namespace

Int128 EigenvalueShape::count_weight() const {
  return std::max<Int128>(1, norm2_bound / kCountShare);
}

Result<double> eigenvalue_l1_sensitivity(const EigenvalueShape& shape) {
  if (shape.relation != Relation::AddRemove && shape.relation != Relation::ReplaceOne &&
      shape.relation != Relation::ZeroRow) {
    return bad_request(
        fmt::format("eigenvalues have no sensitivity for neighbours '{}'; use "
                    "add-remove, replace-one or zero-row",
                    name_of(shape.relation)));
  }
  const double r2 = up(static_cast<double>(shape.norm2_bound));
  const double moved = up(r2 * up(rows_moved(shape.relation) + solver_slack(shape)));
  const double rounding = static_cast<double>(shape.rank);  // half a grid unit on either table
  const double count = shape.releases_count() ? up(static_cast<double>(shape.count_weight())) : 0.0;
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
  const auto r2 = static_cast<double>(shape.norm2_bound);
  std::vector<Int128> integers;
  for (Eigen::Index i = 0; i < shape.rank; ++i) {
    integers.push_back(static_cast<Int128>(std::nearbyint(moment.eigenvalues()[i] * r2)));
  }
  const std::uint64_t rows = trusted::totals(gram).count;
  if (shape.releases_count()) {
    integers.push_back(shape.count_weight() * static_cast<Int128>(rows));
  }
  const NoiseScale scale{NoiseLaw::Laplace, noise_scale, noise_scale};
  const Vector noisy = add_rounded_noise(integers, scale, stream);

  NoisyEigenvalues released;
  released.values = (noisy.head(shape.rank) / r2).cwiseMax(0.0);
  std::sort(released.values.begin(), released.values.end(), std::greater<>());
  const double sd = standard_deviation(NoiseLaw::Laplace, noise_scale);
  released.value_sd = sd / r2;
  if (shape.releases_count()) {
    const auto weight = static_cast<double>(shape.count_weight());
    released.count = noisy[shape.rank] / weight;
    released.count_sd = sd / weight;
  } else {
    released.count = static_cast<double>(rows);
  }
  return released;
}

}  // namespace eigenveil
