#include "audit/sharp_trade_off.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "audit/binomial_bounds.hpp"
#include "core/distributions.hpp"
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

double along(const Matrix& frame, const WorstRow& row, Eigen::Index second_position) {
  return (row.head * frame.row(row.position) + row.tail * frame.row(second_position)).squaredNorm();
}

std::vector<double> statistics(const BinghamSampler& sampler, const WorstRow& row,
                               Eigen::Index second_position, std::uint64_t draws,
                               RandomStream& stream) {
  std::vector<double> values(draws);
  for_each_draw(sampler, draws, stream, static_cast<unsigned>(default_threads()),
                [&](std::size_t index, const Matrix& frame) {
                  values[index] = along(frame, row, second_position);
                });
  return values;
}

/// Draws at β on a table and on the same with the worst row.
struct WorstPair {
  double mu;
  WorstRow row;
  Neighbour neighbour;
  BinghamSampler on_first;
  BinghamSampler on_second;
};

Result<WorstPair> worst_pair(const Vector& eigenvalues, double rows, Eigen::Index components,
                             double beta) {
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
  return WorstPair{*mu, row, neighbour, *on_first, *on_second};
}

}  // namespace

Result<SharpTradeOff> sharp_trade_off(const Vector& eigenvalues, double rows,
                                      Eigen::Index components, double beta,
                                      const std::vector<double>& type_one, std::uint64_t draws,
                                      double error, RandomStream& stream) {
  const Result<WorstPair> pair = worst_pair(eigenvalues, rows, components, beta);
  if (!pair) {
    return error_of(pair);
  }
  std::vector<double> first =
      statistics(pair->on_first, pair->row, pair->row.position + 1, draws, stream);
  const std::vector<double> second = statistics(pair->on_second, pair->neighbour.row,
                                                pair->neighbour.second_position, draws, stream);
  std::sort(first.begin(), first.end());
  SharpTradeOff result{beta, pair->mu, 0.0, {}};
  for (const double alpha : type_one) {
    const auto place = static_cast<std::size_t>((1.0 - alpha) * static_cast<double>(draws - 1));
    const auto missed = static_cast<std::uint64_t>(std::count_if(
        second.begin(), second.end(), [&](double value) { return value <= first[place]; }));
    TradeOffPoint point;
    point.type_one = alpha;
    point.type_two = static_cast<double>(missed) / static_cast<double>(draws);
    point.low = binomial_lower(missed, draws, error / 2.0);
    point.high = binomial_upper(missed, draws, error / 2.0);
    point.predicted = normal_cdf(normal_upper_quantile(alpha) - pair->mu);
    result.largest_gap = std::max(result.largest_gap, std::abs(point.type_two - point.predicted));
    result.points.push_back(point);
  }
  return result;
}

Result<std::vector<Attack>> sharp_attacks(const AuditRequest& request) {
  const auto* claim = std::get_if<GaussianDp>(&request.budget);
  if (claim == nullptr) {
    return bad_request("this audit needs {mu}");
  }
  constexpr double kRows = 2504.0;
  Vector spectrum = Vector::LinSpaced(200, 1.0, 0.2);
  spectrum.head(2) << 8.0, 4.0;
  std::vector<Mutant> versions = {{"as shipped", 1.0}};
  if (request.mutants) {
    versions.push_back({"mutant: beta for 1.5 mu", 1.5});
  }
  const Result<SharpPrivacy> sharp = SharpPrivacy::make(spectrum, kRows, 1);
  std::vector<Attack> attacks;
  for (const Mutant& version : versions) {
    const std::optional<double> beta = sharp->beta(version.factor * claim->mu);
    if (!beta) {
      return bad_request("this mu is below the plateau of the attacked spectrum; spend more");
    }
    const Result<WorstPair> pair = worst_pair(spectrum, kRows, 1, *beta);
    if (!pair) {
      return error_of(pair);
    }
    const auto shared = std::make_shared<const WorstPair>(*pair);
    Attack made;
    made.kind = version.factor == 1.0 ? AttackKind::Shipped : AttackKind::Mutant;
    // The neighbour with the row is the one a longer projection announces.
    made.attack = {"draw at p = 200, " + version.name, *claim,
                   [shared](RandomStream& stream) {
                     return along(shared->on_second.draw(stream), shared->neighbour.row,
                                  shared->neighbour.second_position);
                   },
                   [shared](RandomStream& stream) {
                     return along(shared->on_first.draw(stream), shared->row,
                                  shared->row.position + 1);
                   }};
    attacks.push_back(std::move(made));
  }
  return attacks;
}

}  // namespace eigenveil
