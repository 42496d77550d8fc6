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

/// The mean of the p - k smallest eigenvalues of noise lies at most this share of its largest below
/// zero: k large ones make up for them; by the norm alone; by Cauchy-Schwarz from the spread.
double mean_of_lowest(double k, double rest, double factor) {
  const double odds = k / rest;
  return std::min({1.0, odds, std::sqrt(odds) / (2.0 * factor)});
}

}  // namespace

NoiseReach noise_reach(const EntryNoise& noise, double mean_norm, double count) {
  const double widest = noise.scales.maxCoeff();
  const double length = noise.scales.norm();
  const double z = normal_upper_quantile(kFalseAlarm);
  const double entry = noise.product * widest;
  const double norm =
      2.0 * spectral_factor(noise.law) * length * std::hypot(entry, noise.sum * mean_norm) / count;
  NoiseReach reach =
      reach_of(noise.law, norm, entry * widest / count, length * length / (widest * widest));
  const double own = reach.floor - norm;
  const double of_mean =
      z * std::hypot(noise.sum * widest * mean_norm, noise.count * mean_norm * mean_norm) / count;
  const double of_trace = z * noise.shared * widest * widest / count;
  reach.apart = norm + std::hypot(own, of_mean);
  reach.floor = norm + std::hypot(own, of_mean, of_trace);
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
/// direction u the norm of D N D shrinks from max(d) |d| to |D u| |d|, and so it does for the
/// directions left out, whose lengths |D u| have squares that add up to what is left of |d|².
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
  const double left = scales.squaredNorm() / (widest * widest) - lengths.squaredNorm();
  const double below = std::min(1.0, std::sqrt(std::max(0.0, left))) *
                       mean_of_lowest(static_cast<double>(loadings.cols()),
                                      static_cast<double>(rest.size()), reach.factor);
  Vector edge(loadings.cols());
  for (Eigen::Index j = 0; j < edge.size(); ++j) {
    const double beside_rest = mean + std::hypot(reach.apart * (lengths[j] + below), 2.0 * spread);
    edge[j] = std::max(reach.floor * lengths[j], beside_rest);
  }
  return edge;
}

}  // namespace eigenveil
