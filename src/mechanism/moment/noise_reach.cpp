#include "mechanism/moment/noise_reach.hpp"

#include <algorithm>
#include <cmath>

#include "core/distributions.hpp"

namespace eigenveil {
namespace {

constexpr double kFalseAlarm = 0.05;

/// The 95% quantile of the largest eigenvalue lies this many deviations of an entry, over the sixth
/// root of the number of columns, above the spectral norm in the limit: at most, measured.
double quantile_beyond(NoiseLaw law) {
  return law == NoiseLaw::Gaussian ? 1.0 : 2.0;
}

/// `widest`: deviation of the noise on products of the widest column; `columns`: how many columns
/// of its width would have this norm.
NoiseReach reach_of(NoiseLaw law, double norm, double widest, double columns) {
  NoiseReach reach;
  reach.factor = spectral_factor(law);
  reach.norm = norm;
  reach.floor = reach.apart =
      norm + quantile_beyond(law) * widest * std::pow(std::max(1.0, columns), -1.0 / 6.0);
  return reach;
}

/// What is shared may push either way, so that 2.5% are left for each: 1.960 / 1.645.
constexpr double kBothSides = 1.1916;

/// How much of a noisy count is there, but for the false alarm: a mean was divided by it.
constexpr double kLeastShareOfCount = 1e-3;

/// What the directions left out are in units of the widest column.
struct LeftOut {
  double kept;         ///< how many were not
  double count;        ///< how many they are
  double mean_square;  ///< of their lengths |D u| / max(d)
};

/// How far below zero the noise along the directions left out may lie on average. Equal units: k
/// large eigenvalues make up for them; by the norm alone; by Cauchy-Schwarz from the spread.
/// Others: by their lengths, or by Cauchy-Schwarz from the squares of all entries.
double below_of(const LeftOut& left, const Vector& scales, const NoiseReach& reach) {
  const double odds = left.kept / left.count;
  const double widest2 = std::pow(scales.maxCoeff(), 2);
  const double uneven = 1.0 - std::pow(scales.minCoeff(), 2) / widest2;
  if (uneven <= 0.0) {
    return reach.apart * std::min({1.0, odds, std::sqrt(odds) / (2.0 * reach.factor)});
  }
  const double length2 = scales.squaredNorm();
  const double deviation = reach.norm / (2.0 * reach.factor * std::sqrt(length2 * widest2));
  const double entries = std::hypot(length2, scales.cwiseAbs2().norm());
  const double beyond =
      normal_upper_quantile(kFalseAlarm / 2.0) * std::sqrt(2.0) * widest2 * uneven;
  return std::min(reach.apart * std::sqrt(left.mean_square),
                  std::sqrt(odds / (left.kept + left.count)) * deviation * (entries + beyond));
}

}  // namespace

NoiseReach noise_reach(const EntryNoise& noise, double mean_norm, double count) {
  const double widest = noise.scales.maxCoeff();
  const double length = noise.scales.norm();
  const double z = normal_upper_quantile(kFalseAlarm);
  const double entry = noise.product * widest;
  // The mean in sums was divided by a count that noise may have raised, which lowered it.
  const double fewest = std::max(count - z * noise.count, kLeastShareOfCount * count);
  const double of_sums = noise.sum * mean_norm * (count / fewest);
  const double of_count = noise.count * mean_norm * mean_norm * (count / fewest);
  const double norm =
      2.0 * spectral_factor(noise.law) * length * std::hypot(entry, of_sums) / count;
  NoiseReach reach =
      reach_of(noise.law, norm, entry * widest / count, length * length / (widest * widest));
  const double own = reach.floor - norm;
  const double of_mean = z * std::hypot(of_sums * widest, of_count) / count;
  reach.shared = z * noise.shared * widest * widest / count;
  reach.apart = norm + std::hypot(own, of_mean);
  reach.floor = norm + std::hypot(own, of_mean, reach.shared);
  return reach;
}

NoiseReach noise_reach(const Matrix& entry_sd, NoiseLaw law) {
  Matrix squares = entry_sd.array().isFinite().select(entry_sd.array().square(), 0.0);
  const double row = squares.size() > 0 ? squares.rowwise().sum().maxCoeff() : 0.0;
  squares.diagonal() /= 2.0;
  const double largest = squares.size() > 0 ? squares.maxCoeff() : 0.0;
  return reach_of(law, 2.0 * spectral_factor(law) * std::sqrt(row), std::sqrt(largest),
                  largest > 0.0 ? row / largest : 1.0);
}

/// Noise of spectral norm f on eigenvalues with mean m and variance v gives a spectrum that ends
/// near m + sqrt(4 v + f²). The noisy eigenvalues left out show v + (f / 2 factor)². Along a
/// direction u noise D N D shows at most |D u| / max(d) of what it shows along any; what all scaled
/// columns share, t D², shows t |D u|² less its mean along the directions left out.
Vector noise_edge(const Vector& eigenvalues, const Matrix& loadings, const Vector& scales,
                  const NoiseReach& reach) {
  const double widest = scales.maxCoeff();
  const Vector lengths = (scales.asDiagonal() * loadings).colwise().norm() / widest;
  const auto rest = eigenvalues.tail(eigenvalues.size() - loadings.cols());
  if (rest.size() == 0) {
    return reach.floor * lengths;
  }
  const double mean = rest.mean();
  const double noise_spread = reach.norm / (2.0 * reach.factor);
  const double spread =
      std::sqrt(std::max(0.0, (rest.array() - mean).square().mean() - noise_spread * noise_spread));
  const auto others = static_cast<double>(rest.size());
  const double squares = scales.squaredNorm() / (widest * widest) - lengths.squaredNorm();
  const LeftOut left{static_cast<double>(loadings.cols()), others,
                     std::clamp(squares / others, 0.0, 1.0)};
  const double below = below_of(left, scales, reach);
  Vector edge(loadings.cols());
  for (Eigen::Index j = 0; j < edge.size(); ++j) {
    const double shared =
        kBothSides * reach.shared * std::abs(lengths[j] * lengths[j] - left.mean_square);
    const double own = std::hypot((reach.apart - reach.norm) * lengths[j], shared);
    const double beside_rest =
        mean + std::hypot(reach.norm * lengths[j] + own + below, 2.0 * spread);
    edge[j] = std::max(reach.floor * lengths[j], beside_rest);
  }
  return edge;
}

}  // namespace eigenveil
