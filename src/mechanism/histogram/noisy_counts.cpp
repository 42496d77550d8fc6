#include "mechanism/histogram/noisy_counts.hpp"

#include <boost/math/tools/minima.hpp>
#include <cmath>

#include "core/distributions.hpp"
#include "core/outward.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "mechanism/gauss/gauss.hpp"
#include "mechanism/laplace/laplace.hpp"
#include "mechanism/moment/noisy_integers.hpp"

namespace eigenveil {
namespace {

/// Cells of a histogram that one row can change.
Result<double> moved_cells(Relation relation) {
  switch (relation) {
    case Relation::AddRemove:
      return 1.0;
    case Relation::ReplaceOne:
    case Relation::ZeroRow:
      return 2.0;
    default:
      return bad_request(
          "counts are protected for {neighbours add-remove}, replace-one or zero-row",
          "neighbours");
  }
}

Result<NoiseScale> noise_for(const CountsRequest& request, Loss& per_row) {
  if (std::holds_alternative<PureDp>(request.budget)) {
    return pure_budget_per_row(request.budget, request.group_size).and_then([&](PureDp budget) {
      per_row = budget;
      return counts_l1_sensitivity(request.histograms, request.relation).map([&](double moved) {
        return laplace_noise_scale(moved, budget);
      });
    });
  }
  return budget_per_row(request.budget, request.group_size)
      .and_then(gaussian_budget)
      .and_then([&](GaussianDp budget) {
        per_row = budget;
        return counts_l2_sensitivity(request.histograms, request.relation).map([&](double moved) {
          return gaussian_noise_scale(moved, budget);
        });
      });
}

}  // namespace

Result<double> counts_l2_sensitivity(std::size_t histograms, Relation relation) {
  return moved_cells(relation).map(
      [&](double cells) { return up(std::sqrt(up(cells * static_cast<double>(histograms)))); });
}

Result<double> counts_l1_sensitivity(std::size_t histograms, Relation relation) {
  return moved_cells(relation).map(
      [&](double cells) { return up(cells * static_cast<double>(histograms)); });
}

Result<CountsPlan> CountsPlan::make(const CountsRequest& request) {
  Loss per_row = PureDp{0.0};
  const Result<NoiseScale> scale = noise_for(request, per_row);
  if (!scale) {
    return error_of(scale);
  }
  if (const Result<int> exponent = noise_grid_exponent(*scale); !exponent) {
    return error_of(exponent);
  }
  return group_loss(per_row, request.group_size).map([&](const Loss& loss) {
    return CountsPlan(*scale, {request.relation, loss, Basis::Proved, noise_assumptions(scale->law),
                               true, request.group_size, Basis::NotPrivate, request.person});
  });
}

Release<Vector> CountsPlan::run(const std::vector<std::uint64_t>& counts,
                                RandomStream& stream) const {
  const std::vector<Int128> integers(counts.begin(), counts.end());
  return trusted::assume_released<Vector>(add_rounded_noise(integers, scale_, stream),
                                          as_run(guarantee_, stream), method());
}

/// A sum of Gaussians is one. For Laplace noise of scale b, Chernoff's bound: the sum exceeds t
/// with at most exp(-s t) (1 - b^2 s^2)^-cells for every s in (0, 1/b). Rounding adds at most a
/// half each.
double CountsPlan::exceeded(std::size_t cells, double probability) const {
  const auto count = static_cast<double>(cells);
  if (scale_.law == NoiseLaw::Gaussian) {
    const double z = normal_upper_quantile(probability);
    return z * sd() * std::sqrt(count) + 0.5 * count;
  }
  const auto bound = [&](double u) {  // s = u / b, t in units of b
    return (-std::log(probability) - count * std::log1p(-u * u)) / u;
  };
  constexpr int kBits = 26;  // any u gives a bound, so that the best one need not be exact
  const double best = boost::math::tools::brent_find_minima(bound, 1e-6, 1.0 - 1e-9, kBits).second;
  return best * scale_.diagonal + 0.5 * count;
}

}  // namespace eigenveil
