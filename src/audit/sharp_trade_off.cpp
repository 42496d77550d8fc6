#include "audit/sharp_trade_off.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "audit/binomial_bounds.hpp"
#include "core/parallel.hpp"
#include "core/symmetric_eigen.hpp"
#include "sampling/bingham.hpp"
#include "sampling/bingham_draws.hpp"

namespace eigenveil {
namespace {

/// x* in the eigenbasis: coordinates `head` at position k and `tail` at k + 1.
struct WorstRow {
  Eigen::Index position;
  double head;
  double tail;
};

/// Spectrum of Σ + x*x*ᵀ/n and how its eigenvectors combine coordinates k and k + 1.
struct Neighbour {
  Vector eigenvalues;
  WorstRow row;  ///< x* in the new eigenbasis: two places that may have moved apart
  Eigen::Index second_position;
};

Neighbour neighbour_of(const Vector& eigenvalues, const WorstRow& row, double rows) {
  Matrix block(2, 2);
  block << eigenvalues[row.position] + row.head * row.head / rows, row.head * row.tail / rows,
      row.head * row.tail / rows, eigenvalues[row.position + 1] + row.tail * row.tail / rows;
  const SymmetricEigen eigen = symmetric_eigen(block);
  const Eigen::Vector2d moved = eigen.vectors.transpose() * Eigen::Vector2d(row.head, row.tail);
  std::vector<double> rest;
  for (Eigen::Index i = 0; i < eigenvalues.size(); ++i) {
    if (i != row.position && i != row.position + 1) {
      rest.push_back(eigenvalues[i]);
    }
  }
  const auto place = [&](double value) {
    return std::lower_bound(rest.begin(), rest.end(), value, std::greater<>());
  };
  const Eigen::Index first = place(eigen.values[0]) - rest.begin();
  rest.insert(rest.begin() + first, eigen.values[0]);
  // Behind the first of the two, also when they tie.
  const auto behind =
      std::lower_bound(rest.begin() + first + 1, rest.end(), eigen.values[1], std::greater<>());
  const Eigen::Index second = behind - rest.begin();
  rest.insert(behind, eigen.values[1]);
  return {Eigen::Map<const Vector>(rest.data(), static_cast<Eigen::Index>(rest.size())),
          {first, moved[0], moved[1]},
          second};
}

std::vector<double> statistics(const BinghamSampler& sampler, const WorstRow& row,
                               Eigen::Index second_position, std::uint64_t draws,
                               RandomStream& stream) {
  std::vector<double> values(draws);
  for_each_draw(sampler, draws, stream, static_cast<unsigned>(default_threads()),
                [&](std::size_t index, const Matrix& frame) {
                  values[index] =
                      (row.head * frame.row(row.position) + row.tail * frame.row(second_position))
                          .squaredNorm();
                });
  return values;
}

}  // namespace

Result<SharpTradeOff> sharp_trade_off(const Vector& eigenvalues, double rows,
                                      Eigen::Index components, double beta,
                                      const std::vector<double>& type_one, std::uint64_t draws,
                                      double error, RandomStream& stream) {
  const Result<SharpPrivacy> sharp = SharpPrivacy::make(eigenvalues, rows, components);
  if (!sharp) {
    return error_of(sharp);
  }
  const std::optional<double> mu = sharp->mu(beta);
  if (!mu) {
    return bad_request("beta is at or below the phase transition, where no mu is predicted");
  }
  const double p = sharp->dimension();
  const double t = sharp->worst_case_weight(beta);
  const WorstRow row{components - 1, std::sqrt(p * t), std::sqrt(p * (1.0 - t))};
  const Neighbour neighbour = neighbour_of(eigenvalues, row, rows);
  const double exponent = 0.5 * p * beta;
  const Result<BinghamSampler> on_first = BinghamSampler::make(eigenvalues, exponent, components);
  const Result<BinghamSampler> on_second =
      BinghamSampler::make(neighbour.eigenvalues, exponent, components);
  if (!on_first || !on_second) {
    return error_of(on_first ? on_second : on_first);
  }
  std::vector<double> first = statistics(*on_first, row, row.position + 1, draws, stream);
  const std::vector<double> second =
      statistics(*on_second, neighbour.row, neighbour.second_position, draws, stream);
  std::sort(first.begin(), first.end());
  SharpTradeOff result{beta, *mu, 0.0, {}};
  const boost::math::normal standard;
  for (const double alpha : type_one) {
    const auto place = static_cast<std::size_t>((1.0 - alpha) * static_cast<double>(draws - 1));
    const auto missed = static_cast<std::uint64_t>(std::count_if(
        second.begin(), second.end(), [&](double value) { return value <= first[place]; }));
    TradeOffPoint point;
    point.type_one = alpha;
    point.type_two = static_cast<double>(missed) / static_cast<double>(draws);
    point.low = binomial_lower(missed, draws, error / 2.0);
    point.high = binomial_upper(missed, draws, error / 2.0);
    point.predicted = cdf(standard, quantile(complement(standard, alpha)) - *mu);
    result.largest_gap = std::max(result.largest_gap, std::abs(point.type_two - point.predicted));
    result.points.push_back(point);
  }
  return result;
}

}  // namespace eigenveil
