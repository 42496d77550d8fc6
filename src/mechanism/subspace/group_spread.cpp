#include "mechanism/subspace/group_spread.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/decompositions.hpp"
#include "core/symmetric_eigen.hpp"
#include "random/normal.hpp"

namespace eigenveil::detail {
namespace {

using Index = Eigen::Index;

constexpr int kSimulatedGroups = 240;
/// Share of groups that are meant to lie within the radius of each other.
constexpr double kWithin = 0.95;

Matrix wishart(Index k, Index count, RandomStream& stream) {
  Matrix normals(k, count);
  fill_standard_normal(stream, {normals.data(), static_cast<std::size_t>(normals.size())});
  return normals * normals.transpose();
}

}  // namespace

GroupSpread simulate_group_spread(std::size_t subspace, std::size_t per_group,
                                  std::size_t references, double radius_factor) {
  const auto k = static_cast<Index>(subspace);
  const auto q = static_cast<Index>(references);
  RandomStream stream = RandomStream::seeded(0x5375627370616365U);
  const Matrix g = wishart(k, q, stream);
  const Matrix outer = g + static_cast<double>(q) * Matrix::Identity(k, k);
  std::vector<double> spreads;
  for (int i = 0; i < kSimulatedGroups; ++i) {
    // Larger groups than this behave like their mean.
    const auto m = static_cast<Index>(std::min<std::size_t>(per_group, 400));
    const double scale = static_cast<double>(m) / static_cast<double>(per_group);
    spreads.push_back(scale * detail::solve_symmetric(wishart(k, m, stream), outer).trace());
  }
  std::sort(spreads.begin(), spreads.end());
  GroupSpread spread;
  for (const double value : spreads) {
    spread.mean += value / kSimulatedGroups;
  }
  spread.quantile = spreads[static_cast<std::size_t>(kWithin * (kSimulatedGroups - 1))];
  for (const double own : spreads) {
    const double limit = 2.0 * radius_factor * radius_factor * spread.quantile - own;
    const auto near = std::upper_bound(spreads.begin(), spreads.end(), limit) - spreads.begin();
    const double share = static_cast<double>(near) / kSimulatedGroups;
    spread.agreement += std::clamp(2.0 * share - 1.0, 0.0, 1.0) / kSimulatedGroups;
  }
  spread.smallest_singular = std::sqrt(std::max(1e-300, symmetric_eigen(g).values[k - 1]));
  spread.spreads = std::move(spreads);
  return spread;
}

}  // namespace eigenveil::detail
